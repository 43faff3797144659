/** Which addresses a secret may travel to. */
import { usage } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';

/** The address, where a secret may be sent to it: https, or plain http to this machine. Throws a usage failure. */
export function trustedUrl(address: string, what: string): URL {
  if (!URL.canParse(address)) throw usage(`${what} is not an address that can be used.`);
  const url = new URL(address);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw usage(`${what} must begin with https://, since secrets are sent to it.`);
}
