/** Tokens that say something about themselves, as many deployments give them. Nobody signed these. */

/** A JWT with these claims. */
export function tokenWith(claims: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'none', typ: 'JWT' }), part(claims), 'signature'].join('.');
}
