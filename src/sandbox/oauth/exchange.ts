/** `POST /oauth/token`: a code for a token. Document: "Authentication", 3. */
import type { Scope } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { Refusal } from '../http/refusal.ts';
import { demoClient, hasSecret } from './clients.ts';
import { type CodeProblem, codeLifetime, spendCode } from './codes.ts';
import { verifierProblem } from './pkce.ts';
import {
  type ReadTokenRequest,
  readTokenRequest,
  type TokenRequest,
  UnreadableRequest,
} from './token-request.ts';

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
