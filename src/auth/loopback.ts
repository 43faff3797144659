/** Which addresses are this very machine, and which of the others a secret may travel to. */
import { usage } from '../errors.ts';

/** Whether a host, as `URL` spells it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** The address, where a secret may be sent to it: https, or plain http to this machine. Throws a usage failure. */
export function trustedUrl(address: string, what: string): URL {
  if (!URL.canParse(address)) throw usage(`${what} is not an address that can be used.`);
  const url = new URL(address);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw usage(`${what} must begin with https://, since secrets are sent to it.`);
}
