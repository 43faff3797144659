/** What the inspector's page is told: each request, and how the sandbox stands. */

import { mask } from '../../base/mask.ts';
import type { Api } from '../../contract/api.ts';
import type { Fields } from '../../contract/field.ts';
import { scopeNames } from '../../contract/scope.ts';
import type { Database } from '../../storage/database.ts';
import { bearerToken } from '../access/access.ts';
import { findGrant } from '../access/tokens.ts';
import type { ClockState } from '../business/clock.ts';
import { type Event, eventsSince, newestSequence } from '../business/events.ts';
import { writeMoment } from '../calendar.ts';
import { faultPlan } from '../faults/stored.ts';
import { Refusal } from '../http/refusal.ts';
import { route } from '../http/router.ts';
import { readTarget } from '../http/target.ts';
import type { Sandbox } from '../service.ts';
import type { Entry } from './journal.ts';

export interface ShownEntry {
  number: number;
  /** In UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
  method: string;
  target: string;
  status: number;
  milliseconds: number;
  /** The scope of the token that let it through. */
  scope: string;
  fault: string;
  request: string;
  response: string;
}

export function shownEntry({ api, database }: Sandbox, prefix: string, entry: Entry): ShownEntry {
  const { number, method, target, status, fault = '' } = entry;
  const [path = ''] = target.split('?');
  const shown = (text: string) => withoutToken(text, entry.authorization);
  return {
    number,
    at: writeMoment(entry.at),
    method,
    target: shown(shownTarget(api, target)),
    status,
    milliseconds: Math.round(entry.milliseconds * 10) / 10,
    scope: scopeUsed(api, database, prefix, entry),
    fault,
    request: shown(shownBody(api, entry.requestBody, path)),
    response: shown(shownBody(api, entry.responseBody, path)),
  };
}

/** Empty where the request was no operation of the contract, needs no scope, or came with a token that has none of them. */
function scopeUsed(
  api: Api,
  database: Database,
  prefix: string,
  { method, target, authorization }: Entry,
): string {
  try {
    const { operation } = route(api, method, readTarget(target, prefix));
    const scopes = findGrant(database, bearerToken(authorization))?.scopes;
    return scopeNames.find((scope) => operation.scopes.includes(scope) && scopes?.has(scope)) ?? '';
  } catch (error) {
    if (error instanceof Refusal) return '';
    throw error;
  }
}

export interface ShownState {
  clock: ClockState;
  /** By the API's own name of the resource. */
  records: Record<string, { active: number; deleted: number }>;
  /** The newest first. */
  events: { at: string; type: string; about: string }[];
  /** How many rules of faults there are. */
  faults: number;
}

const mostEvents = 30;

export function shownState(sandbox: Sandbox): ShownState {
  const { clock, records } = sandbox.status();
  return {
    clock,
    records,
    events: newestEvents(sandbox.database).map(shownEvent),
    faults: faultPlan(sandbox.database)?.rules.length ?? 0,
  };
}

function newestEvents(database: Database): Event[] {
  return eventsSince(database, newestSequence(database) - mostEvents, mostEvents).reverse();
}

function shownEvent({ at, type, branch, subject, users }: Event): ShownState['events'][number] {
  const names = users.map(({ name }) => name).join(', ');
  return { at, type, about: `${branch.name}, ${subject.resource} ${subject.id}; told: ${names}` };
}

/** Of signing in, wherever they stand. */
const signInSecrets = ['client_secret', 'code_verifier', 'access_token', 'refresh_token', 'token'];

/** Of signing in, at its own addresses alone: elsewhere a code is a name that people give. */
const exchangeSecrets = ['code', 'state'];

/** A body that can't be read is not shown: what is secret in it can't be told. */
export function shownBody(api: Api, body: Uint8Array | string, path: string): string {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  if (text.trim() === '') return '';
  const secrets = secretsAt(api, path);
  const coverSecret = (name: string, value: unknown) => (secrets.has(name) && value !== null ? mask : value);
  // To look at each value takes far longer than to find that no name is there, in whatever spelling.
  const mayHold = text.includes('\\') || [...secrets].some((name) => text.includes(`"${name}"`));
  try {
    return JSON.stringify(mayHold ? JSON.parse(text, coverSecret) : JSON.parse(text), null, 2);
  } catch {
    return `(${text.length} characters that are not JSON)`;
  }
}

/** Values of secret parameters are covered, whether they are a field's or a filter on it. The rest stays as it came. */
function shownTarget(api: Api, target: string): string {
  const [path = '', ...rest] = target.split('?');
  if (rest.length === 0) return target;
  const secrets = secretsAt(api, path);
  const pairs = rest.join('?').split('&');
  const shown = pairs.map((pair) => {
    const [name = '', ...value] = pair.split('=');
    const words = plain(name).match(/\w+/g) ?? [];
    return value.length > 0 && words.some((word) => secrets.has(word)) ? `${name}=${mask}` : pair;
  });
  return `${path}?${shown.join('&')}`;
}

/** The same text without a token that its request came with, wherever it was repeated. */
function withoutToken(text: string, authorization: string): string {
  const [token = ''] = authorization.match(/\S+$/) ?? [];
  return token.length < shortestToken ? text : text.replaceAll(token, mask);
}

/** A shorter one would mask words that only look like it. */
const shortestToken = 8;

function plain(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function secretsAt(api: Api, path: string): ReadonlySet<string> {
  const isExchange = /\/(token|authorize)$/.test(path);
  const secrets = known.get(api) ?? new Set([...signInSecrets, ...api.collections.flatMap(secretsOf)]);
  known.set(api, secrets);
  return isExchange ? new Set([...secrets, ...exchangeSecrets]) : secrets;
}

const known = new WeakMap<Api, ReadonlySet<string>>();

function secretsOf({ fields }: { fields: Fields }): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.secret);
}
