/** Bodies and addresses as the inspector shows them: laid out, with every secret covered. */
import type { Api } from '../../contract/api.ts';
import type { Fields } from '../../contract/field.ts';
import { mask } from '../../mask.ts';

/** Of signing in, wherever they stand. */
const signInSecrets = ['client_secret', 'code_verifier', 'access_token', 'refresh_token', 'token'];

/** Of signing in, at its own addresses alone: elsewhere a code is a name that people give. */
const exchangeSecrets = ['code', 'state'];

/** A body that can't be read is not shown: what is secret in it can't be told. */
export function shownBody(api: Api, body: Uint8Array | string, path: string): string {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  if (text.trim() === '') return '';
  const secrets = secretsAt(api, path);
  const coverSecret = (name: string, value: unknown) => (secrets.has(name) && value !== null ? mask : value);
  // To look at each value takes far longer than to find that no name is there, in whatever spelling.
  const mayHold = text.includes('\\') || [...secrets].some((name) => text.includes(`"${name}"`));
  try {
    return JSON.stringify(mayHold ? JSON.parse(text, coverSecret) : JSON.parse(text), null, 2);
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
}

/** Values of secret parameters are covered, whether they are a field's or a filter on it. The rest stays as it came. */
export function shownTarget(api: Api, target: string): string {
  const [path = '', ...rest] = target.split('?');
  if (rest.length === 0) return target;
  const secrets = secretsAt(api, path);
  const pairs = rest.join('?').split('&');
  const shown = pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=');
    const words = plain(name).match(/\w+/g) ?? [];
    return value.length > 0 && words.some((word) => secrets.has(word)) ? `${name}=${mask}` : pair;
  });
  return `${path}?${shown.join('&')}`;
}

/** The same text without a token that its request came with, wherever it was repeated. */
export function withoutToken(text: string, authorization: string): string {
  const [token = ''] = authorization.match(/\S+$/) ?? [];
  return token.length < shortestToken ? text : text.replaceAll(token, mask);
}

/** A shorter one would mask words that only look like it. */
const shortestToken = 8;

function plain(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function secretsAt(api: Api, path: string): ReadonlySet<string> {
  const isExchange = /\/(token|authorize)$/.test(path);
  const secrets = known.get(api) ?? new Set([...signInSecrets, ...api.collections.flatMap(secretsOf)]);
  known.set(api, secrets);
  return isExchange ? new Set([...secrets, ...exchangeSecrets]) : secrets;
}

const known = new WeakMap<Api, ReadonlySet<string>>();

function secretsOf({ fields }: { fields: Fields }): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.secret);
}
