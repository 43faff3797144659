/** `POST /oauth/token`: a code for a token. Document: "Authentication", 3. */
import type { Scope } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { readJsonBody } from '../http/json-body.ts';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { Refusal } from '../http/refusal.ts';
import { demoClient, hasSecret } from './clients.ts';
import { type CodeProblem, codeLifetime, spendCode } from './codes.ts';
import { verifierProblem } from './pkce.ts';

export interface Exchange {
  database: Database;
  /** The sandbox's own time, in milliseconds since 1970. */
  now: number;
  /** The document alone. */
  isStrict: boolean;
  mintToken(grant: { scopes: readonly Scope[] }): string;
}

/** Answers `{token_type, access_token}`, or a message with the code that OAuth has for the mistake (RFC 6749, 5.2). */
export function exchange(request: TokenRequest, sandbox: Exchange): ServiceResponse {
  try {
    const token = tokenFor(readTokenRequest(request, sandbox.isStrict), sandbox);
    return jsonAnswer(200, { token_type: 'Bearer', access_token: token }, notKept);
  } catch (error) {
    const { status, code, message } = problemOf(error);
    return refuse(status, code, message, sandbox, request);
  }
}

function problemOf(error: unknown): TokenProblem {
  if (error instanceof TokenProblem) return error;
  if (error instanceof UnreadableRequest) return new TokenProblem('invalid_request', error.message);
  if (error instanceof Refusal) return new TokenProblem('invalid_request', error.message, error.status);
  throw error;
}

function tokenFor(request: ReadTokenRequest, { database, now, mintToken }: Exchange): string {
  const { grant_type, code, client_id, client_secret, redirect_uri, code_verifier } = request;
  if (grant_type !== 'authorization_code') {
    throw new TokenProblem(
      'unsupported_grant_type',
      'The grant_type must be authorization_code: no other grant type is supported.',
    );
  }
  const isClient = client_id === demoClient.id;
  // The secret is compared for an unknown client too, so that the time taken doesn't tell which it was.
  if (!hasSecret(demoClient, client_secret) || !isClient) {
    throw new TokenProblem('invalid_client', 'The client_id or the client_secret is wrong.', 401);
  }
  // Spent and exchanged together: a code without its token would be lost.
  return database.write(() => {
    const spent = spendCode(database, code, { clientId: client_id, redirectUri: redirect_uri }, now);
    if ('problem' in spent) throw new TokenProblem('invalid_grant', codeProblems[spent.problem]);
    const problem = verifierProblem(code, code_verifier);
    if (problem !== undefined) throw new TokenProblem('invalid_grant', problem);
    return mintToken(spent);
  });
}

const codeProblems: Record<CodeProblem, string> = {
  unknown: 'The code is not known.',
  used: 'The code has been exchanged before; each can be exchanged once.',
  expired: `The code is older than ${codeLifetime / 1000} seconds.`,
  other_client: 'The code was given to another client.',
  other_redirect_uri: 'The redirect_uri is not the one that the code was asked for with.',
};

class TokenProblem extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status = 400) {
    super(message);
    this.name = 'TokenProblem';
    this.code = code;
    this.status = status;
  }
}

/** OAuth's clients look for `error_description`, and for a challenge where they came with HTTP Basic. */
function refuse(
  status: number,
  error: string,
  message: string,
  { isStrict }: Exchange,
  { authorization }: TokenRequest,
): ServiceResponse {
  if (isStrict) return jsonAnswer(status, { error, message }, notKept);
  const challenge = status === 401 && /^basic /i.test(authorization);
  return jsonAnswer(
    status,
    { error, error_description: message, message },
    { ...notKept, ...(challenge && { 'www-authenticate': 'Basic realm="boh sandbox"' }) },
  );
}

/** RFC 6749, 5.1. */
const notKept = { 'cache-control': 'no-store' };

/**
 * The body of `POST /oauth/token`: JSON, as the document has it ("Authentication", 3). Unless the sandbox is strict,
 * also a form, and the client as HTTP Basic, which is how OAuth 2.0 has it and other people's programs send it.
 */
interface TokenRequest {
  contentType: string;
  authorization: string;
  body: Uint8Array | string;
}

interface ReadTokenRequest {
  grant_type: string;
  code: string;
  client_id: string;
  client_secret: string;
  redirect_uri: string;
  /** Of PKCE. */
  code_verifier?: string | undefined;
}

/** A request that can't be read; the message goes to whoever sent it. */
class UnreadableRequest extends Error {}

const fields = ['grant_type', 'code', 'client_id', 'client_secret', 'redirect_uri'] as const;

/** Other fields are passed over, as OAuth asks for. Throws `UnreadableRequest`, or a refusal of the JSON. */
function readTokenRequest(request: TokenRequest, isStrict: boolean): ReadTokenRequest {
  const client = isStrict ? undefined : basicClient(request.authorization);
  const sent = fieldsOf(request, isStrict);
  if (
    client &&
    (sent.client_secret !== undefined || (sent.client_id ?? client.client_id) !== client.client_id)
  ) {
    throw new UnreadableRequest('The client shows itself twice: by HTTP Basic, and in the body.');
  }
  const body: Record<string, unknown> = { ...sent, ...client };
  const missing = fields.filter((name) => body[name] === undefined || body[name] === '');
  if (missing.length > 0) throw new UnreadableRequest(`The body lacks ${missing.join(', ')}.`);
  const names = [...fields, ...(isStrict || body.code_verifier === undefined ? [] : ['code_verifier'])];
  const wrong = names.filter((name) => typeof body[name] !== 'string');
  if (wrong.length > 0) throw new UnreadableRequest(`Not text: ${wrong.join(', ')}.`);
  return Object.fromEntries(names.map((name) => [name, body[name]])) as unknown as ReadTokenRequest;
}

function fieldsOf({ contentType, body }: TokenRequest, isStrict: boolean): Record<string, unknown> {
  if (/^application\/json\b/i.test(contentType)) return readJsonBody(body);
  if (isStrict) {
    throw new UnreadableRequest('The body must be JSON, with content-type: application/json.');
  }
  if (!/^application\/x-www-form-urlencoded\b/i.test(contentType)) {
    throw new UnreadableRequest(
      'The body must be JSON, with content-type: application/json, or application/x-www-form-urlencoded.',
    );
  }
  const form = new URLSearchParams(typeof body === 'string' ? body : new TextDecoder().decode(body));
  const repeated = [...new Set(form.keys())].filter((name) => form.getAll(name).length > 1);
  if (repeated.length > 0)
    throw new UnreadableRequest(`The body has more than once: ${repeated.join(', ')}.`);
  return Object.fromEntries(form);
}

/** RFC 6749, 2.3.1: both halves are encoded as in a form. */
function basicClient(
  authorization: string,
): Pick<ReadTokenRequest, 'client_id' | 'client_secret'> | undefined {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return { client_id: decoded(id), client_secret: decoded(secret.join(':')) };
}

function decoded(text: string): string {
  return new URLSearchParams(`=${text.replaceAll('&', '%26')}`).get('') ?? '';
}
