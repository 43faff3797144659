/** Shows logged requests: time, operation, scope, fault and bodies, with secrets redacted. */
import type { Api } from '../../api/contract/api.ts';
import type { Fields } from '../../api/contract/field.ts';
import { scopeNames } from '../../api/contract/scope.ts';
import { redactionMarker } from '../../base/redaction.ts';
import type { Database } from '../../base/storage/database.ts';
import { bearerToken } from '../access/access.ts';
import { findGrant } from '../access/tokens.ts';
import { formatTimestamp } from '../calendar.ts';
import { HttpError } from '../http/message.ts';
import { parseTarget } from '../http/request.ts';
import { route } from '../http/router.ts';
import type { Sandbox } from '../service.ts';
import type { LoggedRequest } from './request-log.ts';

/** A request as it is shown, without secrets. The inspector's script reads these fields. */
export interface RequestEntry {
  number: number;
  /** The time in UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
  method: string;
  target: string;
  status: number;
  milliseconds: number;
  /** The scope that allowed the request; empty if unknown. */
  scope: string;
  /** The operation of the API, such as `customers create`; empty if the request isn't one. */
  operation: string;
  fault: string;
  request: string;
  response: string;
}

/** Returns a request with its secrets redacted. `prefix` is the prefix of the API's paths. */
export function requestEntry({ api, database }: Sandbox, prefix: string, entry: LoggedRequest): RequestEntry {
  const { number, method, target, status, fault = '' } = entry;
  const [path = ''] = target.split('?');
  const redact = (text: string) => redactToken(text, entry.authorization);
  return {
    number,
    at: formatTimestamp(entry.receivedAtMs),
    method,
    target: redact(redactTarget(api, target)),
    status,
    milliseconds: Math.round(entry.milliseconds * 10) / 10,
    ...usedOperation(api, database, prefix, entry),
    fault,
    request: redact(redactBody(api, entry.requestBody, path)),
    response: redact(redactBody(api, entry.responseBody, path)),
  };
}

/**
 * Returns the operation of a request and the scope that allowed it. Both are empty if the request isn't an operation of
 * the contract. The scope is also empty if the operation requires none, or the token has none of the required scopes.
 */
function usedOperation(
  api: Api,
  database: Database,
  prefix: string,
  { method, target, authorization }: LoggedRequest,
): Pick<RequestEntry, 'operation' | 'scope'> {
  let name = '';
  try {
    const { operation } = route(api, method, parseTarget(target, prefix));
    name = `${operation.resource.name} ${operation.verb}`;
    const scopes = findGrant(database, bearerToken(authorization))?.scopes;
    const usedScope = scopeNames.find((scope) => operation.scopes.includes(scope) && scopes?.has(scope));
    return { operation: name, scope: usedScope ?? '' };
  } catch (error) {
    if (error instanceof HttpError) return { operation: name, scope: '' };
    throw error;
  }
}

/** The secrets of the sign-in, which can be in any request. */
const signInSecrets = ['client_secret', 'code_verifier', 'access_token', 'refresh_token', 'token'];

/** The secrets of the sign-in that are redacted only at its paths: in other requests, `code` is a field of records. */
const tokenExchangeSecrets = ['code', 'state'];

/**
 * Returns a body as indented JSON with secrets redacted. A body that isn't JSON is replaced with its
 * length, because its secrets can't be found.
 */
export function redactBody(api: Api, body: Uint8Array | string, path: string): string {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  if (text.trim() === '') return '';
  const secrets = secretNamesAt(api, path);
  const redactSecret = (name: string, value: unknown) =>
    secrets.has(name) && value !== null ? redactionMarker : value;
  // Parsing with a function for each value is slow, so it is only done for bodies that may contain a secret's name.
  const mayHaveSecrets = text.includes('\\') || [...secrets].some((name) => text.includes(`"${name}"`));
  try {
    return JSON.stringify(mayHaveSecrets ? JSON.parse(text, redactSecret) : JSON.parse(text), null, 2);
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
}

/** Redacts the values of secret fields and of filters on them. The rest of the target is unchanged. */
function redactTarget(api: Api, target: string): string {
  const [path = '', ...queryParts] = target.split('?');
  if (queryParts.length === 0) return target;
  const secrets = secretNamesAt(api, path);
  const pairs = queryParts.join('?').split('&');
  const redactedPairs = pairs.map((pair) => {
    const [name = '', ...valueParts] = pair.split('=');
    const words = decodeName(name).match(/\w+/g) ?? [];
    return valueParts.length > 0 && words.some((word) => secrets.has(word))
      ? `${name}=${redactionMarker}`
      : pair;
  });
  return `${path}?${redactedPairs.join('&')}`;
}

/** Redacts the request's token everywhere in the text. */
function redactToken(text: string, authorization: string): string {
  const [token = ''] = authorization.match(/\S+$/) ?? [];
  return token.length < minTokenCharacters ? text : text.replaceAll(token, redactionMarker);
}

/** The minimum length of a redacted token, in characters. Shorter tokens could be part of other words. */
const minTokenCharacters = 8;

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function secretNamesAt(api: Api, path: string): ReadonlySet<string> {
  const isTokenExchange = /\/(token|authorize)$/.test(path);
  const secrets =
    secretsByApi.get(api) ?? new Set([...signInSecrets, ...api.collections.flatMap(secretFieldNames)]);
  secretsByApi.set(api, secrets);
  return isTokenExchange ? new Set([...secrets, ...tokenExchangeSecrets]) : secrets;
}

const secretsByApi = new WeakMap<Api, ReadonlySet<string>>();

function secretFieldNames({ fields }: { fields: Fields }): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.secret);
}
