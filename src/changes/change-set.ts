/** A change set: a plan with a start time and an optional end time. Defines its states and the order of due acts. */

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

/** The states as shown on the screen. */
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

/** What happens if records have changed since the set was planned: they are left unchanged, or nothing is sent. */
export const onChangedChoices = ['skip', 'stop'] as const;

/** One of `onChangedChoices`. */
export type OnChangedChoice = (typeof onChangedChoices)[number];

/** The parts of a change set that can be edited. */
export interface Schedule {
  /** The start time, in milliseconds since 1970, like every time here. */
  at: number;
  /** The end time, at which the earlier values are restored; null to keep the new values. */
  until: number | null;
  /** The IANA name of the time zone in which times are shown. */
  zone: string;
  /** How late it may begin, in milliseconds. */
  grace: number;
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
  /** The id of the run that begins it. */
  run: string;
  begunAt: number | null;
  /** The id of the undo that ends it. */
  returnRun: string | null;
  returnedAt: number | null;
  /** Why it stopped or was missed, or which rows were skipped or failed. */
  reason: string | null;
}

/** The states of sets that are over, unless they are edited. */
export const finalStates: readonly ChangeState[] = ['ended', 'missed', 'stopped', 'canceled'];

/** Returns whether the set has started and isn't over. */
export function isBegun({ state }: Pick<ChangeSet, 'state'>): boolean {
  return state === 'beginning' || state === 'active' || state === 'returning';
}

/** The start or the end of a set. */
export interface Act {
  set: ChangeSet;
  kind: 'begin' | 'return';
  /** When it is due. */
  at: number;
}

/** The acts as shown on the screen. */
export const actLabels: Readonly<Record<Act['kind'], string>> = { begin: 'start', return: 'end' };

/** Returns the next act of a set; undefined if it is over, or active without an end time. */
export function nextAct(set: ChangeSet): Act | undefined {
  const { state, at, until } = set;
  const isLeft = state === 'planned' || state === 'beginning';
  if (isLeft && (until === null || state === 'planned')) return { set, kind: 'begin', at };
  if (until === null || !(isLeft || isBegun(set))) return undefined;
  return { set, kind: 'return', at: until };
}

/**
 * Returns the due acts in the order in which they are carried out: by time, then ends before starts. Of nested sets, the
 * inner one ends first and the outer one starts first.
 */
export function dueActs(sets: readonly ChangeSet[], now: number): Act[] {
  return sets
    .flatMap((set) => {
      const next = nextAct(set);
      // An interrupted start is resumed, unless the end time has passed.
      if (set.state === 'beginning' && (set.until === null || set.until > now))
        return { set, kind: 'begin' as const, at: set.at };
      return next && next.at <= now ? next : [];
    })
    .sort(compareActs);
}

/** Compares two acts by the order in which they are carried out. */
export function compareActs(one: Act, other: Act): number {
  if (one.at !== other.at) return one.at - other.at;
  if (one.kind !== other.kind) return one.kind === 'return' ? -1 : 1;
  const depth = one.set.at - other.set.at || endOf(other.set) - endOf(one.set) || one.set.id - other.set.id;
  return one.kind === 'begin' ? depth : -depth;
}

/** How the periods of two sets overlap. `nested`: one contains the other. `crossing`: each begins or ends within the other. */
export type Overlap = 'none' | 'nested' | 'crossing';

/** Returns how the periods of two sets overlap; a period excludes its end. */
export function overlapOf(
  one: Pick<Schedule, 'at' | 'until'>,
  other: Pick<Schedule, 'at' | 'until'>,
): Overlap {
  if (endOf(one) <= other.at || endOf(other) <= one.at) return 'none';
  const isWithin = (inner: typeof one, outer: typeof one) =>
    inner.at >= outer.at && endOf(inner) <= endOf(outer);
  return isWithin(one, other) || isWithin(other, one) ? 'nested' : 'crossing';
}

function endOf({ until }: Pick<Schedule, 'until'>): number {
  return until ?? Number.POSITIVE_INFINITY;
}
