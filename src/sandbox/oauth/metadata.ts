/** What an OAuth client asks first: where to go and what is taken (RFC 8414). */
import { scopeNames } from '../../contract/scope.ts';
import { challengeMethods } from './pkce.ts';

export const metadataPath = '/.well-known/oauth-authorization-server';

/** `issuer` is the address of the server, without a slash at its end. */
export function serverMetadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    scopes_supported: scopeNames,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
    code_challenge_methods_supported: challengeMethods,
  };
}
