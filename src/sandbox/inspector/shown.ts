/** What the inspector's page is told: each request, and how the sandbox stands. */
import type { Api } from '../../contract/api.ts';
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
import { shownBody, shownTarget, withoutToken } from './mask.ts';

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
