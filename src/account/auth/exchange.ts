/** Exchanges a code for a token, once. API document: "Authentication", 3. */
import { type Category, Failure } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { requireTrustedUrl } from './authorization-url.ts';
import {
  checkHint,
  errorMessageFrom,
  redactAndShorten,
  redactMessage,
  refusedValues,
  type SignInValue,
} from './excerpt.ts';

/** The request format that a deployment expects. The API document describes the first choice of each ("Authentication", 3). */
export interface ExchangeStyle {
  body: 'json' | 'form';
  /** Whether the client ID and secret are in the body or sent as HTTP Basic (RFC 6749, 2.3.1). */
  clientAuth: 'body' | 'basic';
}

/** The values that are exchanged for a token. */
export interface Grant {
  code: string;
  clientId: string;
  clientSecret: string;
  /** Exactly the same as in the request for the code. */
  redirectUri: string;
  /** The PKCE verifier, if the request for the code had a challenge. */
  verifier?: string | undefined;
}

interface TokenRequest {
  headers: Record<string, string>;
  body: string;
  /** The secrets in the request, which messages must not contain. */
  secrets: string[];
}

/** Returns the request as in the API document, or as other OAuth 2.0 deployments expect it. */
function tokenRequest(grant: Grant, { body: format, clientAuth }: ExchangeStyle): TokenRequest {
  const { code, clientId, clientSecret, redirectUri, verifier } = grant;
  const isInBody = clientAuth === 'body';
  const fields = {
    grant_type: 'authorization_code',
    code,
    ...(isInBody && { client_id: clientId, client_secret: clientSecret }),
    redirect_uri: redirectUri,
    ...(verifier !== undefined && { code_verifier: verifier }),
  };
  const basic = Buffer.from(`${formEncode(clientId)}:${formEncode(clientSecret)}`).toString('base64');
  return {
    headers: {
      accept: 'application/json',
      'content-type': format === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
      ...(!isInBody && { authorization: `Basic ${basic}` }),
    },
    body: format === 'json' ? JSON.stringify(fields) : String(new URLSearchParams(fields)),
    secrets: [clientSecret, code, basic, ...(verifier === undefined ? [] : [verifier])],
  };
}

/** Encodes text as application/x-www-form-urlencoded, like both parts of HTTP Basic. */
function formEncode(text: string): string {
  return String(new URLSearchParams({ '': text })).slice(1);
}

export interface TokenResponse {
  status: number;
  text: string;
}

/**
 * Sends a request once, without following redirects, and reads at most `maxResponseBytes` of the response. Throws a failure
 * if the response is incomplete.
 */
export type Post = (
  url: URL,
  request: { headers: Record<string, string>; body: string; maxResponseBytes: number },
) => Promise<TokenResponse>;

/** An exchange, and the function that sends it. */
export interface Exchange extends Grant {
  tokenUrl: string;
  style: ExchangeStyle;
  post: Post;
}

/** The maximum length of a response, in bytes. It has two fields, and servers accept only a few kilobytes in a header. */
const maxTokenResponseBytes = 65_536;

/** The maximum length of a token, in characters. */
const maxTokenCharacters = 8192;

/**
 * Returns the access token. The first attempt uses up the code, so the request is never retried. Throws `unavailable` for
 * a response that the API document doesn't allow, and the category of its status for a refusal.
 */
export async function exchangeCode({ tokenUrl, style, post, ...grant }: Exchange): Promise<string> {
  const url = requireTrustedUrl(tokenUrl, 'The token URL');
  const { secrets, ...request } = tokenRequest(grant, style);
  const response = await post(url, { ...request, maxResponseBytes: maxTokenResponseBytes });

  function failure(category: Category, message: string, hint: Hint): Failure {
    return new Failure(category, message, {
      status: response.status,
      request: { method: 'POST', path: url.pathname },
      hint,
    });
  }
  // Check the length before the text is read.
  if (response.text.length > maxTokenResponseBytes) {
    throw failure('unavailable', 'The response of the token URL is too long.', checkUrlsHint);
  }
  if (response.status >= 300 && response.status < 400) {
    throw failure(
      'unavailable',
      "The token URL redirects to another URL. boh doesn't send secrets there.",
      checkUrlsHint,
    );
  }
  if (response.status >= 400) {
    const reason = errorMessageFrom(response.text, secrets) || 'no reason given';
    const { error, error_description: description, message, hint } = parseRecord(response.text) ?? {};
    // A message may quote a secret, whose letters name nothing.
    const texts = [hint, description, message, error].map((text) =>
      redactMessage(String(text ?? ''), secrets),
    );
    const refused = refusedValues(texts);
    const subject = refused.map(({ name }) => name).join(' or ') || 'token request';
    throw failure(
      categoryOf(response),
      `The service refused the ${subject} (HTTP ${response.status}): ${reason}`,
      hintFor(response, refused),
    );
  }
  const { token_type: type, access_token: token } = parseRecord(response.text) ?? {};
  const received = () => redactAndShorten(response.text, secrets) || 'an empty response';
  // The API document has "Bearer". According to RFC 6749, 5.1, the case doesn't matter.
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw failure(
      'unavailable',
      `Expected a "Bearer" token, but the service returned: ${received()}`,
      checkUrlsHint,
    );
  }
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw failure('unavailable', `The service returned no valid access_token: ${received()}`, checkUrlsHint);
  }
  if (token.length > maxTokenCharacters) {
    throw failure(
      'unavailable',
      `The access_token has ${token.length} characters; the limit is ${maxTokenCharacters}.`,
      'Ask the operator of the service for a shorter token.',
    );
  }
  return token;
}

const checkUrlsHint = boh.hint`Check base_url and token_url, then sign in again. To list settings: ${boh.account('config list')}`;
const signInHint = boh.hint`To sign in again: ${boh.profile('auth login')}`;

const categories: Record<number, Category> = {
  401: 'not_signed_in',
  403: 'not_allowed',
  404: 'not_found',
  429: 'rate_limited',
};

function categoryOf({ status }: TokenResponse): Category {
  return categories[status] ?? (status >= 500 ? 'unavailable' : 'refused');
}

function hintFor({ status }: TokenResponse, refused: readonly SignInValue[]): Hint {
  if (status === 404) return checkUrlsHint;
  if (status === 429 || status >= 500) return signInHint;
  if (status === 415)
    return boh.hint`The service may expect a form: ${boh.account('config set', 'oauth.body', 'form')}`;
  return checkHint(refused);
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
