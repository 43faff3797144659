/** Reads the metadata that an authorization server publishes: the URLs to sign in with (RFC 8414). */

/** The published URLs; a member is missing if the service doesn't publish it, or if it can't be trusted. */
export interface ServerMetadata {
  authorizeUrl?: string;
  tokenUrl?: string;
}

/** The maximum length of the metadata, in bytes. */
export const maxMetadataBytes = 65_536;

/** Returns the URL of the metadata: the well-known path comes before the path of the service (RFC 8414, 3.1). */
export function metadataUrl(baseUrl: string): URL {
  const url = new URL(baseUrl);
  url.pathname = `/.well-known/oauth-authorization-server${url.pathname.replace(/\/$/, '')}`;
  return url;
}

/**
 * Returns the URLs in a metadata document. Ignores a document of another issuer, which could send the user and the client
 * secret to a foreign page (RFC 8414, 3.3), and URLs that use neither https nor the origin of the service.
 */
export function parseServerMetadata(text: string, baseUrl: string): ServerMetadata {
  const { issuer, authorization_endpoint: authorizeUrl, token_endpoint: tokenUrl } = parseRecord(text);
  if (typeof issuer !== 'string' || issuer.replace(/\/$/, '') !== baseUrl) return {};
  const { origin } = new URL(baseUrl);
  const isTrusted = (value: unknown): value is string => {
    const url = typeof value === 'string' ? URL.parse(value) : null;
    const isSafe = url?.protocol === 'https:' || url?.origin === origin;
    return isSafe && url?.username === '' && url.password === '' && url.hash === '';
  };
  return {
    ...(isTrusted(authorizeUrl) && { authorizeUrl }),
    ...(isTrusted(tokenUrl) && { tokenUrl }),
  };
}

function parseRecord(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
