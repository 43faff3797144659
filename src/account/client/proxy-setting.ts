/** Reads the proxy for a service from the environment: HTTPS_PROXY, ALL_PROXY and NO_PROXY. */
import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import type { Environment } from '../../base/environment.ts';
import { usage } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';

export interface ProxySetting {
  url: URL;
  /** The name of its variable, for messages. */
  variable: string;
}

/** The variables with a proxy. The first that is set is used, even if it is empty. */
const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'];

/**
 * Returns the proxy for a service, unless NO_PROXY lists its host. Loopback hosts have none: another machine could read
 * the token, because they may use http. Throws a usage failure for an invalid URL.
 */
export function proxyFor(service: URL, env: Environment): ProxySetting | undefined {
  const variable = proxyVariables.find((name) => env[name] !== undefined) ?? '';
  const text = env[variable]?.trim() ?? '';
  const host = plainHost(service.hostname);
  if (text === '' || isLoopback(service.hostname.replace(/\.$/, '')) || host.endsWith('.localhost'))
    return undefined;
  if (isListed(host, service.port || '443', env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  return { url: parseProxy(text, variable), variable };
}

/** Parses the URL of a proxy. The message never repeats the text, which may contain a password. */
function parseProxy(text: string, variable: string): URL {
  const url = URL.parse(text.includes('://') ? text : `http://${text}`);
  // A password with one of these characters could be taken for a part of the host or the path.
  const isPlain = !/[\s\\?#]|@.*@/.test(text) && url?.pathname === '/' && /^https?:$/.test(url.protocol);
  try {
    if (isPlain && decodeURIComponent(text) !== '') return url;
  } catch {
    // A percent sign is not encoded.
  }
  throw usage(`Invalid proxy URL in ${variable}.`, {
    hint: `It must look like http://NAME:PASSWORD@proxy.example.com:8080, with special characters of the password percent-encoded (@ is %40). Fix ${variable}, or unset it to use no proxy.`,
  });
}

/**
 * Returns whether NO_PROXY lists a host: hosts separated by commas or spaces, each with an optional port. A domain
 * includes its subdomains, `10.0.0.0/8` is a network, and `*` matches any characters.
 */
function isListed(host: string, port: string, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = entry, entryPort] = /^(\[.*\][^:]*|[^:]*):(\d+)$/.exec(entry) ?? [];
    if (entryPort !== undefined && Number(entryPort) !== Number(port)) return false;
    const [address = '', prefix] = name.split('/');
    if (isIP(plainHost(address)) !== 0) return isInNetwork(host, plainHost(address), prefix);
    const domain = plainHost(name).replace(/^\*?\.+/, '');
    const pattern = (domainToASCII(domain) || domain).replace(/[^\w*]/g, '\\$&').replaceAll('*', '.*');
    return domain !== '' && new RegExp(`^(.*\\.)?${pattern}$`).test(host);
  });
}

/** Returns whether an IP address is in a network; without a prefix, whether both addresses are the same. */
function isInNetwork(host: string, address: string, prefix?: string): boolean {
  const [family, hostFamily] = [isIP(address), isIP(host)].map((version) =>
    version === 6 ? 'ipv6' : 'ipv4',
  );
  const maxPrefix = family === 'ipv6' ? 128 : 32;
  const length = prefix === undefined ? maxPrefix : /^\d+$/.test(prefix) ? Number(prefix) : maxPrefix + 1;
  if (isIP(host) === 0 || length > maxPrefix) return false;
  const network = new BlockList();
  network.addSubnet(address, length, family);
  return network.check(host, hostFamily);
}

/** Returns a host without the brackets of IPv6 and without the dot at the end of a full name. */
function plainHost(host: string): string {
  return host.toLowerCase().replaceAll(/^\[|\]$|\.$/g, '');
}
