/** JSON Web Tokens with claims, as many deployments issue them. These are unsigned. */

/** A JWT with these claims. */
export function tokenWith(claims: Readonly<Record<string, unknown>>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'none', typ: 'JWT' }), part(claims), 'signature'].join('.');
}
