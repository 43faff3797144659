/** Secret fields made unreadable wherever a record or a body is shown. */
import { resources } from '../../resources/index.ts';

const secretNames = new Set([
  ...resources.flatMap(({ fields }) => Object.keys(fields).filter((name) => fields[name]?.traits.secret)),
  'client_secret',
  'access_token',
  'code',
]);

/** What stands in the place of a secret. */
export const mask = '••••';

/** The same value with each secret field masked, at any depth. `code` is masked only where it is an OAuth code. */
export function maskBody(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskBody);
  if (typeof value !== 'object' || value === null) return value;
  const isTokenRequest = 'grant_type' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const isSecret = secretNames.has(name) && (name !== 'code' || isTokenRequest);
      return [name, isSecret && inner != null ? mask : maskBody(inner)];
    }),
  );
}
