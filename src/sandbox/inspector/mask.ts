/** Bodies as the inspector shows them: laid out, with every secret covered. */
import type { Api } from '../../contract/api.ts';
import type { Fields } from '../../contract/field.ts';

const cover = '••••';

/** Of the exchange of codes. Elsewhere a code is a name that people give. */
const exchangeSecrets = new Set(['client_secret', 'code', 'code_verifier', 'access_token']);

/** A body that can't be read is not shown: what is secret in it can't be told. */
export function shownBody(api: Api, body: Uint8Array | string, path: string): string {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  if (text.trim() === '') return '';
  const secrets = path === '/oauth/token' ? exchangeSecrets : secretsOf(api);
  const coverSecret = (name: string, value: unknown) => (secrets.has(name) && value !== null ? cover : value);
  try {
    return JSON.stringify(JSON.parse(text, coverSecret), null, 2);
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
}

const known = new WeakMap<Api, ReadonlySet<string>>();

function secretsOf(api: Api): ReadonlySet<string> {
  const secrets = known.get(api) ?? new Set(api.collections.flatMap(({ fields }) => secretsAmong(fields)));
  known.set(api, secrets);
  return secrets;
}

function secretsAmong(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.secret);
}
