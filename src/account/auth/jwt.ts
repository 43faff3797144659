/** Parses the claims of a JWT. They are only displayed, because the signature isn't verified. */

/** The claims that boh displays. */
export interface Claims {
  scopes?: string[];
  expiresAt?: Date;
  /** The ID or name of the business in the token. */
  business?: string;
}

/** Returns the claims that boh displays; undefined for any token that isn't a JWT. */
export function parseClaims(token: string): Claims | undefined {
  const payload = /^[\w-]+\.([\w-]+)\.[\w-]*$/.exec(token)?.[1];
  const claims =
    payload === undefined ? undefined : parseRecord(Buffer.from(payload, 'base64url').toString('utf8'));
  if (claims === undefined) return undefined;
  const scopes = parseScopes(claims.scopes ?? claims.scope);
  const expiresAt = parseTime(claims.exp);
  const business = parseBusiness(claims.business);
  return {
    ...(scopes !== undefined && { scopes }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(business !== undefined && { business }),
  };
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** Parses scopes from a list, or from a space-separated string. */
function parseScopes(value: unknown): string[] | undefined {
  const scopes = typeof value === 'string' ? value.split(/\s+/).filter((word) => word !== '') : value;
  return Array.isArray(scopes) && scopes.every((scope) => typeof scope === 'string') ? scopes : undefined;
}

/** Parses a time in seconds since 1970, possibly with a fraction. */
function parseTime(value: unknown): Date | undefined {
  const time = new Date(typeof value === 'number' ? value * 1000 : Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function parseBusiness(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, id } = value as { name?: unknown; id?: unknown };
  return [name, id].find((text) => typeof text === 'string');
}
