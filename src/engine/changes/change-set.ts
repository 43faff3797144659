/** A change set: a plan with a start time and an optional end time. Defines its states and the order of due actions. */

import type { Session } from '../../account/session/session.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { type LedgerRow, recordIdPlaceholder } from '../runs/ledger/row.ts';

/**
 * `planned`: waits for its start time. `beginning`: its run has started and isn't finished. `active`: in effect. `returning`:
 * its undo has started and isn't finished. `ended`: it is over. `missed`: its start time passed, and nothing was sent. `stopped`:
 * records have changed since it was planned, and nothing was sent. `canceled`: it was canceled before it began.
 */
export type ChangeState =
  | 'planned'
  | 'beginning'
  | 'active'
  | 'returning'
  | 'ended'
  | 'missed'
  | 'stopped'
  | 'canceled';

/** The names of the states on the screen. */
export const stateLabels: Readonly<Record<ChangeState, string>> = {
  planned: 'scheduled',
  beginning: 'starting',
  active: 'active',
  returning: 'ending',
  ended: 'ended',
  missed: 'missed',
  stopped: 'stopped',
  canceled: 'canceled',
};

/** The actions if records have changed since the set was planned: skip these records, or stop before anything is sent. */
export const onChangedChoices = ['skip', 'stop'] as const;

/** One of `onChangedChoices`. */
export type OnChangedChoice = (typeof onChangedChoices)[number];

/** The parts of a change set that can be edited. Times are in milliseconds since 1970. */
export interface Schedule {
  /** The start time. */
  startsAt: number;
  /** The end time, at which the earlier values are restored; null to keep the new values. */
  endsAt: number | null;
  /** The IANA name of the time zone in which times are shown. */
  zone: string;
  /** The maximum delay of the start, in milliseconds. */
  graceMs: number;
  onChanged: OnChangedChoice;
  note: string | null;
}

/** A change set without its plan. */
export interface ChangeSet extends Schedule {
  id: number;
  name: string;
  state: ChangeState;
  /** The summary of the plan: how many records change, and how. */
  summary: string;
  createdAt: number;
  /** The ID of the run that begins it. */
  run: string;
  /** The rules of `boh lint` that were allowed when it was planned, separated by commas. */
  allow: string | null;
  begunAt: number | null;
  /** The ID of the undo run that ends it. */
  returnRun: string | null;
  returnedAt: number | null;
  /** The reason why it stopped or was missed, or the messages of skipped and failed rows. */
  reason: string | null;
}

/** The states of sets that are over, unless they are edited. */
export const finalStates: readonly ChangeState[] = ['ended', 'missed', 'stopped', 'canceled'];

/** Returns whether the set has started and isn't over. */
export function isInProgress({ state }: Pick<ChangeSet, 'state'>): boolean {
  return state === 'beginning' || state === 'active' || state === 'returning';
}

/** The start or the end of a set. */
export interface ScheduledAction {
  set: ChangeSet;
  kind: 'begin' | 'return';
  /** The time at which it is due, in milliseconds since 1970. */
  dueAt: number;
}

/** The names of the actions on the screen. */
export const actionLabels: Readonly<Record<ScheduledAction['kind'], string>> = {
  begin: 'start',
  return: 'end',
};

/** Returns the next action of a set; undefined if it is over, or active without an end time. */
export function nextAction(set: ChangeSet): ScheduledAction | undefined {
  const { state, startsAt, endsAt } = set;
  const isPending = state === 'planned' || state === 'beginning';
  if (isPending && (endsAt === null || state === 'planned')) return { set, kind: 'begin', dueAt: startsAt };
  if (endsAt === null || !(isPending || isInProgress(set))) return undefined;
  return { set, kind: 'return', dueAt: endsAt };
}

/**
 * Returns the due actions in the order in which they are executed: by time, then ends before starts. Of nested sets, the
 * inner one ends first and the outer one starts first.
 */
export function dueActions(sets: readonly ChangeSet[], now: number): ScheduledAction[] {
  return sets
    .flatMap((set) => {
      const action = nextAction(set);
      // An interrupted start is resumed, unless the end time has passed.
      if (set.state === 'beginning' && (set.endsAt === null || set.endsAt > now))
        return { set, kind: 'begin' as const, dueAt: set.startsAt };
      return action && action.dueAt <= now ? action : [];
    })
    .sort(compareActions);
}

/** Compares two actions by the order in which they are executed. Returns a number, as `Array.sort` requires. */
export function compareActions(a: ScheduledAction, b: ScheduledAction): number {
  if (a.dueAt !== b.dueAt) return a.dueAt - b.dueAt;
  if (a.kind !== b.kind) return a.kind === 'return' ? -1 : 1;
  const depth = a.set.startsAt - b.set.startsAt || endTimeOf(b.set) - endTimeOf(a.set) || a.set.id - b.set.id;
  return a.kind === 'begin' ? depth : -depth;
}

/** The overlap of the periods of two sets. `nested`: one contains the other. `crossing`: each begins or ends within the other. */
export type Overlap = 'none' | 'nested' | 'crossing';

/** Returns how the periods of two sets overlap; a period excludes its end. */
export function overlapOf(
  a: Pick<Schedule, 'startsAt' | 'endsAt'>,
  b: Pick<Schedule, 'startsAt' | 'endsAt'>,
): Overlap {
  if (endTimeOf(a) <= b.startsAt || endTimeOf(b) <= a.startsAt) return 'none';
  const isWithin = (inner: typeof a, outer: typeof a) =>
    inner.startsAt >= outer.startsAt && endTimeOf(inner) <= endTimeOf(outer);
  return isWithin(a, b) || isWithin(b, a) ? 'nested' : 'crossing';
}

function endTimeOf({ endsAt }: Pick<Schedule, 'endsAt'>): number {
  return endsAt ?? Number.POSITIVE_INFINITY;
}

/** A changed field of a record. The field `*` is the whole record, which is deleted or restored. */
export interface TouchedField {
  resource: string;
  /** The ID of the record; for a new record `new`, followed by its key. */
  record: string;
  field: string;
}

/** Yields the fields that the planned rows of a ledger change. */
export function* touchedFields(ledger: Ledger, { api }: Pick<Session, 'api'>): Generator<TouchedField> {
  for (const row of ledger.rows('planned')) {
    for (const { resource, verb, ids, body = {} } of row.steps) {
      const write = operation(api.resource(resource) ?? unknownResource(resource), verb);
      const baseField = { resource, record: touchedRecord(row, ids[0]) };
      if (write?.effect === 'update') {
        for (const { name, responseName } of write.body)
          if (Object.hasOwn(body, name)) yield { ...baseField, field: responseName };
      } else if (write?.link) {
        yield { ...baseField, field: `${write.link.field} ${JSON.stringify(ids[1])}` };
      } else {
        yield { ...baseField, field: '*' };
      }
    }
  }
}

function touchedRecord({ id, key }: LedgerRow, firstId: unknown): string {
  const recordId = typeof firstId === 'string' && firstId !== recordIdPlaceholder ? firstId : id;
  return recordId ?? `new ${key}`;
}

function unknownResource(resource: string): never {
  throw new Error(`${resource} isn't a resource`);
}
