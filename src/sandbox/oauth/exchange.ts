/** `POST /oauth/token`: a code for a token. Document: "Authentication", 3. */
import type { Scope } from '../../contract/scope.ts';
import { readJsonBody } from '../http/json-body.ts';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { Refusal } from '../http/refusal.ts';
import type { Database } from '../store/database.ts';
import { demoClient, hasSecret } from './clients.ts';
import { type CodeProblem, codeLifetime, spendCode } from './codes.ts';

export interface Exchange {
  database: Database;
  /** The sandbox's own time, in milliseconds since 1970. */
  now: number;
  mintToken(grant: { scopes: readonly Scope[] }): string;
}

export interface TokenRequest {
  contentType: string;
  body: Uint8Array | string;
}

/** Answers `{token_type, access_token}`, or a message with the code that OAuth has for the mistake (RFC 6749, 5.2). */
export function exchange(request: TokenRequest, sandbox: Exchange): ServiceResponse {
  try {
    return jsonAnswer(200, { token_type: 'Bearer', access_token: tokenFor(request, sandbox) }, notKept);
  } catch (error) {
    if (error instanceof TokenProblem) return error.answer();
    if (error instanceof Refusal) return refuse(error.status, 'invalid_request', error.message);
    throw error;
  }
}

function tokenFor({ contentType, body }: TokenRequest, { database, now, mintToken }: Exchange): string {
  if (!/^application\/json\b/i.test(contentType)) {
    throw new TokenProblem('invalid_request', 'The body must be JSON, with content-type: application/json.');
  }
  const { grant_type, code, client_id, client_secret, redirect_uri } = readTexts(readJsonBody(body));
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
    return mintToken(spent);
  });
}

const fields = ['grant_type', 'code', 'client_id', 'client_secret', 'redirect_uri'] as const;

/** Other fields are passed over, as OAuth asks for. */
function readTexts(body: Readonly<Record<string, unknown>>): Record<(typeof fields)[number], string> {
  const missing = fields.filter((name) => body[name] === undefined || body[name] === '');
  if (missing.length > 0) {
    throw new TokenProblem('invalid_request', `The body lacks ${missing.join(', ')}.`);
  }
  const wrong = fields.filter((name) => typeof body[name] !== 'string');
  if (wrong.length > 0) throw new TokenProblem('invalid_request', `Not text: ${wrong.join(', ')}.`);
  return body as Record<(typeof fields)[number], string>;
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

  answer(): ServiceResponse {
    return refuse(this.status, this.code, this.message);
  }
}

function refuse(status: number, error: string, message: string): ServiceResponse {
  return jsonAnswer(status, { error, message }, notKept);
}

/** RFC 6749, 5.1. */
const notKept = { 'cache-control': 'no-store' };
