/** The request that exchanges a code: the document's own, or as other deployments of OAuth 2.0 have it. */

/** How a deployment wants the exchange. The first of each is the document's ("Authentication", 3). */
export interface ExchangeStyle {
  body: 'json' | 'form';
  /** Client id and secret in the body, or as HTTP Basic (RFC 6749, 2.3.1). */
  clientAuth: 'body' | 'basic';
}

export interface Grant {
  code: string;
  clientId: string;
  clientSecret: string;
  /** Letter by letter as in the request for the code. */
  redirectUri: string;
  /** Of PKCE, where the request for the code held a challenge. */
  verifier?: string | undefined;
}

export interface TokenRequest {
  headers: Record<string, string>;
  body: string;
  /** Everything in it that no message may repeat. */
  secrets: string[];
}

export function tokenRequest(grant: Grant, { body: kind, clientAuth }: ExchangeStyle): TokenRequest {
  const { code, clientId, clientSecret, redirectUri, verifier } = grant;
  const inBody = clientAuth === 'body';
  const fields = {
    grant_type: 'authorization_code',
    code,
    ...(inBody && { client_id: clientId, client_secret: clientSecret }),
    redirect_uri: redirectUri,
    ...(verifier !== undefined && { code_verifier: verifier }),
  };
  const basic = Buffer.from(`${encoded(clientId)}:${encoded(clientSecret)}`).toString('base64');
  return {
    headers: {
      accept: 'application/json',
      'content-type': kind === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      ...(!inBody && { authorization: `Basic ${basic}` }),
    },
    body: kind === 'json' ? JSON.stringify(fields) : String(new URLSearchParams(fields)),
    secrets: [clientSecret, code, basic, ...(verifier === undefined ? [] : [verifier])],
  };
}

/** As a form has it, which is what the two halves of HTTP Basic are encoded with. */
function encoded(text: string): string {
  return String(new URLSearchParams({ '': text })).slice(1);
}
