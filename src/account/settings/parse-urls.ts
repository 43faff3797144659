/**
 * Parses the URLs that users enter: of the service, of its token endpoint and authorization page, and the redirect URI.
 */
import { usage } from '../../base/errors.ts';
import { isLoopback } from '../../base/loopback.ts';

/**
 * Returns the URL of the service without a slash at its end. Throws a usage failure that says what to enter
 * instead.
 */
export function parseBaseUrl(text: unknown): string {
  if (lastParsed && lastParsed.text === text) return lastParsed.url;
  const url = requireNoQuery(parseWebUrl(text));
  lastParsed = { text, url };
  return url;
}

/** The last result: each command parses the same URL twice, as its endpoint and as a setting. */
let lastParsed: { text: unknown; url: string } | undefined;

/** Returns the base URL and the prefix of a URL such as `https://api.example.com/v5`; undefined if it has no such prefix. */
export function splitPrefix(text: string): { baseUrl: string; apiPrefix: string } | undefined {
  const [, baseUrl, apiPrefix] =
    /^\s*(https?:\/\/[^/?#]+)((?:\/api)?\/v\d[\d.]*|\/api)\/*\s*$/i.exec(text) ?? [];
  return baseUrl !== undefined && apiPrefix !== undefined ? { baseUrl, apiPrefix } : undefined;
}

function requireNoQuery(url: URL): string {
  if (url.search !== '' || url.hash !== '') {
    throw usage(
      `A base URL can't contain "?" or "#": try ${url.origin}${removeTrailingSlashes(url.pathname)}.`,
    );
  }
  return url.origin + removeTrailingSlashes(url.pathname);
}

/** Returns the URL of a page or endpoint. A query is kept, because some authorization pages need one. */
export function parsePageUrl(text: unknown): string {
  const url = parseWebUrl(text);
  if (url.hash !== '') throw usage('The URL can\'t contain "#".');
  return url.href;
}

/** Returns a redirect URI unchanged, because the service compares it with the registered one. */
export function parseRedirectUri(text: unknown): string {
  const url = parseWebUrl(text);
  if (url.hash !== '') throw usage('The redirect URI can\'t contain "#".');
  return String(text).trim();
}

/** Returns the path between the base URL and the resource: empty, or `/v5`. */
export function parseApiPrefix(text: unknown): string {
  if (typeof text !== 'string') throw usage('Expected a path prefix, for example /v5.');
  const parts = text
    .trim()
    .split('/')
    .filter((part) => part !== '');
  if (parts.some((part) => !/^[\w.~-]+$/.test(part) || /^\.+$/.test(part))) {
    throw usage(
      'The prefix may contain letters, digits, and - _ . ~ between slashes, for example /v5 or /api.',
    );
  }
  return parts.map((part) => `/${part}`).join('');
}

function parseWebUrl(input: unknown): URL {
  if (typeof input !== 'string' || input.trim() === '')
    throw usage('Expected a URL, for example https://api.example.com.');
  const text = input.trim();
  if (!/^https?:\/\//i.test(text))
    throw usage(`The URL must begin with https://. ${suggestUrl(text)}`.trim());
  const url = URL.parse(text);
  if (!url) throw usage("This isn't a valid URL.");
  if (url.username !== '' || url.password !== '') {
    throw usage('A URL can\'t contain a user name or password: remove the part before the "@".');
  }
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw usage(
      `http is only allowed for this machine, because others could read the token: use https://${url.host}.`,
    );
  }
  return url;
}

/** Returns a suggestion for a URL without a scheme; empty if there is none, or if it may contain a password. */
function suggestUrl(text: string): string {
  if (text.includes('://') || text.includes('@')) return '';
  const url = text.replace(/^\/+/, '');
  if (!URL.canParse(`https://${url}`)) return '';
  const { hostname } = new URL(`https://${url}`);
  return `Did you mean ${isLoopback(hostname) ? 'http' : 'https'}://${url}?`;
}

function removeTrailingSlashes(path: string): string {
  return path.replace(/\/+$/, '');
}
