/** Builds the data of the inspector's page: requests, and the state of the sandbox. */

import { redactionMarker } from '../../base/redaction.ts';
import type { Api } from '../../contract/api.ts';
import type { Fields } from '../../contract/field.ts';
import { scopeNames } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { bearerToken } from '../access/access.ts';
import { findGrant } from '../access/tokens.ts';
import type { ClockState } from '../business/clock.ts';
import { eventsSince, type NotificationEvent, newestSequence } from '../business/events.ts';
import { formatTimestamp } from '../calendar.ts';
import { readFaultPlan } from '../faults/stored-plan.ts';
import { HttpError } from '../http/http-error.ts';
import { route } from '../http/router.ts';
import { parseTarget } from '../http/target.ts';
import type { Sandbox } from '../service.ts';
import type { LoggedRequest } from './request-log.ts';

/** A request on the page. The page's script reads these fields. */
export interface InspectorEntry {
  number: number;
  /** The time in UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
  method: string;
  target: string;
  status: number;
  milliseconds: number;
  /** The scope that allowed the request; empty if unknown. */
  scope: string;
  fault: string;
  request: string;
  response: string;
}

/** Returns the data of a request for the page, with secrets redacted. `prefix` is the prefix of the API's paths. */
export function inspectorEntry(
  { api, database }: Sandbox,
  prefix: string,
  entry: LoggedRequest,
): InspectorEntry {
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
    scope: usedScope(api, database, prefix, entry),
    fault,
    request: redact(redactBody(api, entry.requestBody, path)),
    response: redact(redactBody(api, entry.responseBody, path)),
  };
}

/**
 * Returns the scope that allowed a request. Returns an empty string if the request isn't an operation of the contract,
 * doesn't require a scope, or its token has none of the required scopes.
 */
function usedScope(
  api: Api,
  database: Database,
  prefix: string,
  { method, target, authorization }: LoggedRequest,
): string {
  try {
    const { operation } = route(api, method, parseTarget(target, prefix));
    const scopes = findGrant(database, bearerToken(authorization))?.scopes;
    return scopeNames.find((scope) => operation.scopes.includes(scope) && scopes?.has(scope)) ?? '';
  } catch (error) {
    if (error instanceof HttpError) return '';
    throw error;
  }
}

/** The state of the sandbox on the page. The page's script reads these fields. */
export interface InspectorState {
  clock: ClockState;
  /** The numbers of records by the API's resource name. */
  records: Record<string, { active: number; deleted: number }>;
  /** The newest events, newest first. */
  events: { at: string; type: string; about: string }[];
  /** The number of rules in the fault plan. */
  faults: number;
}

const maxEvents = 30;

export function inspectorState(sandbox: Sandbox): InspectorState {
  const { clock, records } = sandbox.status();
  return {
    clock,
    records,
    events: newestEvents(sandbox.database).map(inspectorEvent),
    faults: readFaultPlan(sandbox.database)?.rules.length ?? 0,
  };
}

function newestEvents(database: Database): NotificationEvent[] {
  return eventsSince(database, newestSequence(database) - maxEvents, maxEvents).reverse();
}

function inspectorEvent({
  at,
  type,
  branch,
  subject,
  users,
}: NotificationEvent): InspectorState['events'][number] {
  const names = users.map(({ name }) => name).join(', ');
  return { at, type, about: `${branch.name}, ${subject.resource} ${subject.id}; notified: ${names}` };
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
