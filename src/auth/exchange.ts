/** Exchanges a code for a token, with the request body of the document ("Authentication", 3) and nothing else. */
import { type Category, Failure } from '../errors.ts';
import { excerpt } from './excerpt.ts';
import { trustedUrl } from './trusted-url.ts';

export interface Answer {
  status: number;
  text: string;
}

/** Sends JSON, once, to that address and no other. Throws a failure where no whole answer comes. */
export type Post = (url: URL, body: string) => Promise<Answer>;

export interface Exchange {
  tokenUrl: string;
  code: string;
  clientId: string;
  clientSecret: string;
  /** Letter by letter as in the request for the code. */
  redirectUri: string;
  post: Post;
}

/**
 * The access token. A code is spent by the first attempt, so there is never a second one.
 * Throws `unavailable` for an answer out of contract, else the category of the refusal's status.
 */
export async function exchangeCode(exchange: Exchange): Promise<string> {
  const url = trustedUrl(exchange.tokenUrl, 'The address for the exchange of the code');
  const body = JSON.stringify({
    grant_type: 'authorization_code',
    code: exchange.code,
    client_id: exchange.clientId,
    client_secret: exchange.clientSecret,
    redirect_uri: exchange.redirectUri,
  });
  const answer = await exchange.post(url, body);
  const came = excerpt(answer.text, [exchange.clientSecret, exchange.code]) || 'nothing';

  function failure(category: Category, message: string, hint: string): Failure {
    return new Failure(category, message, {
      status: answer.status,
      request: { method: 'POST', path: url.pathname },
      hint,
    });
  }
  if (answer.status >= 300 && answer.status < 400) {
    throw failure(
      'unavailable',
      'The service sent boh on to another address, where secrets must not go.',
      checkAddresses,
    );
  }
  if (answer.status >= 400) {
    throw failure(
      categoryOf(answer),
      `The service refused the code (HTTP ${answer.status}): ${came}`,
      hintFor(answer),
    );
  }
  const { token_type: type, access_token: token } = parseRecord(answer.text) ?? {};
  if (type !== 'Bearer') {
    throw failure(
      'unavailable',
      `The service did not answer with a "Bearer" token, but with: ${came}`,
      checkAddresses,
    );
  }
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) {
    throw failure(
      'unavailable',
      `The service answered without a usable access_token: ${came}`,
      checkAddresses,
    );
  }
  return token;
}

const checkAddresses = 'Check base_url and token_url with `boh config list`, then sign in again.';
const signInAgain = 'Sign in again with `boh auth login`.';

const categories: Record<number, Category> = {
  401: 'not_signed_in',
  403: 'not_allowed',
  404: 'not_found',
  429: 'rate_limited',
};

function categoryOf({ status }: Answer): Category {
  return categories[status] ?? (status >= 500 ? 'unavailable' : 'refused');
}

function hintFor({ status }: Answer): string {
  if (status === 404) return checkAddresses;
  if (status === 429 || status >= 500) return signInAgain;
  return 'Check client id, client secret and redirect address. A code works once, for ten minutes: then sign in again.';
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
