/** Implements `POST /oauth/token`, which exchanges a code for a token (API document: "Authentication", 3). */
import type { Scope } from '../../api/contract/scope.ts';
import type { Database } from '../../base/storage/database.ts';
import { HttpError, jsonResponse, type ServiceResponse } from '../http/message.ts';
import { parseJsonBody } from '../http/request.ts';
import { demoClient, isCorrectSecret } from './clients.ts';
import { type CodeProblem, codeLifetimeMs, redeemCode, verifierProblem } from './codes.ts';

export interface ExchangeContext {
  database: Database;
  /** The sandbox's time, in milliseconds since 1970. */
  now: number;
  /** Whether only requests in the format of the API document are accepted. */
  isStrict: boolean;
  createToken(grant: { scopes: readonly Scope[] }): string;
}

/** Returns a response with `{token_type, access_token}`, or with OAuth's error code and a message (RFC 6749, 5.2). */
export function exchangeCode(request: TokenRequest, sandbox: ExchangeContext): ServiceResponse {
  try {
    const token = createTokenFor(parseTokenRequest(request, sandbox.isStrict), sandbox);
    return jsonResponse(200, { token_type: 'Bearer', access_token: token }, noStore);
  } catch (error) {
    const { status, code, message } = tokenErrorOf(error);
    return tokenErrorResponse(status, code, message, sandbox, request);
  }
}

function tokenErrorOf(error: unknown): TokenError {
  if (error instanceof TokenError) return error;
  if (error instanceof InvalidTokenRequest) return new TokenError('invalid_request', error.message);
  if (error instanceof HttpError) return new TokenError('invalid_request', error.message, error.status);
  throw error;
}

function createTokenFor(
  request: TokenRequestFields,
  { database, now, createToken }: ExchangeContext,
): string {
  const { code, client_id, client_secret, redirect_uri, code_verifier } = request;
  const isDemoClient = client_id === demoClient.id;
  // The secret is compared even for an unknown client, so that the time doesn't reveal which of the two is wrong.
  if (!isCorrectSecret(demoClient, client_secret) || !isDemoClient) {
    throw new TokenError('invalid_client', 'The client_id or the client_secret is wrong.', 401);
  }
  // Both happen in one transaction, so that no code is used without creating a token.
  return database.write(() => {
    const redemption = redeemCode(database, code, { clientId: client_id, redirectUri: redirect_uri }, now);
    if ('problem' in redemption) throw new TokenError('invalid_grant', codeProblems[redemption.problem]);
    const problem = verifierProblem(code, code_verifier);
    if (problem !== undefined) throw new TokenError('invalid_grant', problem);
    return createToken(redemption);
  });
}

const codeProblems: Record<CodeProblem, string> = {
  unknown: 'The code is unknown.',
  used: 'The code has already been exchanged.',
  expired: `The code is older than ${codeLifetimeMs / 1000} seconds.`,
  other_client: 'The code was issued to another client.',
  other_redirect_uri: 'The redirect_uri differs from that of the request for the code.',
};

class TokenError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = 'TokenError';
    this.code = code;
    this.status = status;
  }
}

/** Returns an error response. OAuth clients read `error_description`, and expect a challenge after HTTP Basic. */
function tokenErrorResponse(
  status: number,
  error: string,
  message: string,
  { isStrict }: ExchangeContext,
  { authorization }: TokenRequest,
): ServiceResponse {
  if (isStrict) return jsonResponse(status, { error, message }, noStore);
  const needsChallenge = status === 401 && /^basic /i.test(authorization);
  return jsonResponse(
    status,
    { error, error_description: message, message },
    { ...noStore, ...(needsChallenge && { 'www-authenticate': 'Basic realm="boh sandbox"' }) },
  );
}

/** The headers of responses with tokens (RFC 6749, 5.1). */
const noStore = { 'cache-control': 'no-store' };

/**
 * A request to `POST /oauth/token`. Its body is JSON, as in the API document ("Authentication", 3). Unless the sandbox is
 * strict, it can also be a form, and the client can be sent by HTTP Basic, as other OAuth 2.0 clients do.
 */
interface TokenRequest {
  contentType: string;
  authorization: string;
  body: Uint8Array | string;
}

interface TokenRequestFields {
  code: string;
  client_id: string;
  client_secret: string;
  redirect_uri: string;
  /** The verifier of PKCE. */
  code_verifier?: string | undefined;
}

/** Thrown for an invalid request; the message is sent to the client. */
class InvalidTokenRequest extends Error {}

const grantType = 'authorization_code';
const fields = ['grant_type', 'code', 'client_id', 'client_secret', 'redirect_uri'] as const;

/**
 * Parses the request. Unknown fields are ignored, as OAuth requires. Throws `TokenError`, `InvalidTokenRequest` or
 * `HttpError`.
 */
function parseTokenRequest(request: TokenRequest, isStrict: boolean): TokenRequestFields {
  const client = isStrict ? undefined : parseBasicClient(request.authorization);
  const bodyValues = parseBody(request, isStrict);
  if (
    client &&
    (bodyValues.client_secret !== undefined ||
      (bodyValues.client_id ?? client.client_id) !== client.client_id)
  ) {
    throw new InvalidTokenRequest('The client is sent twice: by HTTP Basic and in the body.');
  }
  const body: Record<string, unknown> = { ...bodyValues, ...client };
  // A request with another grant type has other fields, so this is checked first.
  if (typeof body.grant_type === 'string' && body.grant_type !== '' && body.grant_type !== grantType) {
    throw new TokenError(
      'unsupported_grant_type',
      `The grant_type must be ${grantType}: no other grant type is supported. Tokens don't expire, so there are no refresh tokens.`,
    );
  }
  const missingNames = fields.filter((name) => body[name] === undefined || body[name] === '');
  if (missingNames.length > 0)
    throw new InvalidTokenRequest(`The body is missing ${missingNames.join(', ')}.`);
  const names = [...fields, ...(isStrict || body.code_verifier === undefined ? [] : ['code_verifier'])];
  const nonStringNames = names.filter((name) => typeof body[name] !== 'string');
  if (nonStringNames.length > 0)
    throw new InvalidTokenRequest(`These fields must be strings: ${nonStringNames.join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, body[name]])) as unknown as TokenRequestFields;
}

function parseBody({ contentType, body }: TokenRequest, isStrict: boolean): Record<string, unknown> {
  if (/^application\/json\b/i.test(contentType)) return parseJsonBody(body);
  if (isStrict) {
    throw new InvalidTokenRequest('The body must be JSON, with content-type: application/json.');
  }
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    throw new InvalidTokenRequest(
      'The body must be JSON, with content-type: application/json, or application/x-www-form-urlencoded.',
    );
  }
  const form = new URLSearchParams(typeof body === 'string' ? body : new TextDecoder().decode(body));
  const repeatedNames = [...new Set(form.keys())].filter((name) => form.getAll(name).length > 1);
  if (repeatedNames.length > 0)
    throw new InvalidTokenRequest(`The body has these fields more than once: ${repeatedNames.join(', ')}.`);
  return Object.fromEntries(form);
}

/** Returns the client of HTTP Basic, whose ID and secret are form-encoded (RFC 6749, 2.3.1). */
function parseBasicClient(
  authorization: string,
): Pick<TokenRequestFields, 'client_id' | 'client_secret'> | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', ...secretParts] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: decodeFormText(id), client_secret: decodeFormText(secretParts.join(':')) };
}

function decodeFormText(text: string): string {
  return new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('') ?? '';
}
