/** Which proxy stands between here and the service, read from the environment the way curl reads it. */
import type { Environment } from '../base/environment.ts';
import { usage } from '../base/errors.ts';
import { isLoopback } from '../base/loopback.ts';

export interface ProxySetting {
  url: URL;
  /** The variable that names it, for messages. */
  variable: string;
}

/**
 * HTTPS_PROXY or HTTP_PROXY by the scheme of the service, unless NO_PROXY lists its host; of each the lower-case
 * spelling goes first, even when it is empty. Throws a usage failure for an address that can't be used.
 */
export function proxyFor(service: URL, env: Environment): ProxySetting | undefined {
  const name = service.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const text = (env[name.toLowerCase()] ?? env[name] ?? '').trim();
  if (text === '' || isListed(service, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const url = readProxy(text, name);
  // Plain http goes to this machine only, and through another machine the token would leave in the clear.
  return service.protocol === 'http:' && !isLoopback(url.hostname) ? undefined : { url, variable: name };
}

/** The message never repeats the text: it may hold a password. */
function readProxy(text: string, variable: string): URL {
  const address = text.includes('://') ? text : `http://${text}`;
  if (URL.canParse(address)) {
    const url = new URL(address);
    if (url.protocol === 'http:' || url.protocol === 'https:') return url;
  }
  throw usage(`The proxy address in ${variable} can’t be used.`, {
    hint: `It must look like http://proxy.example.com:8080. Mend ${variable}, or empty it to do without a proxy.`,
  });
}

/** NO_PROXY: hosts with commas or spaces between them; a domain counts for all below it, `*` for everything. */
function isListed({ hostname, port, protocol }: URL, list: string): boolean {
  const servicePort = port || (protocol === 'https:' ? '443' : '80');
  const host = bare(hostname);
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = entry, entryPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    if (entryPort !== undefined && entryPort !== servicePort) return false;
    const domain = bare(name).replace(/^\*?\./, '');
    return domain === '*' || (domain !== '' && (host === domain || host.endsWith(`.${domain}`)));
  });
}

/** Without the brackets of IPv6 and the dot at the end of a full name. */
function bare(host: string): string {
  return host.toLowerCase().replaceAll(/^\[|\]$|\.$/g, '');
}
