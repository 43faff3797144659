/**
 * Compares runs of the same rows into the same account: records without a key aren't added twice, and a run isn't
 * resumed once a later one has planned its rows again.
 */
import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { AccountInUse } from '../../session/file-owner.ts';
import type { Ledger } from './ledger.ts';
import { isOwnRun } from './owner.ts';
import { runIds, runsFolder } from './runs.ts';
import { undoingOf } from './undoing.ts';
import { endRun, openReadableRun, reconcileAfterMs } from './unfinished-runs.ts';

/** Identifies the rows of a run, to find runs that would write the same; a fact of the ledger. */
export interface SameRows {
  mark: string;
  /** Whether records that an earlier run has added are found by key or id; if not, they would be added again. */
  isFound: boolean;
}

const fact = 'same_rows';

/** Records in the ledger which rows its run writes. */
export function noteRows(ledger: Ledger, rows: SameRows): void {
  ledger.setFact(fact, rows);
}

/** Returns the fingerprint of rows. */
export function fingerprintOfRows(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The account that a run writes to. */
interface Target {
  env: Environment;
  account: AccountInUse;
}

/** A run that is about to begin. */
export interface Beginning extends Target {
  ledger: Ledger;
  /** When its plan was begun, in ms since 1970. */
  since: number;
  /** The current time, by the same clock. */
  now: number;
}

/**
 * Returns the newest run of the same rows that has ended, and how many of its added records were not removed by an
 * undo; undefined if there is none.
 */
export function addedBefore(ledger: Ledger, target: Target): { id: string; added: number } | undefined {
  const rows = ledger.fact(fact) as SameRows | undefined;
  const takenBack = new Map<string, number>();
  for (const id of rows ? runIds(target.env) : []) {
    const other = id === ledger.id ? undefined : openReadableRun(target.env, id);
    try {
      if (!other || !isOwnRun(other, target.account)) continue;
      const takesBack = undoingOf(other)?.takesBack;
      if (takesBack === undefined && !isSame(other, rows, target)) continue;
      const counts = other.counts();
      const left = (...kinds: string[]) =>
        kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0) - (takenBack.get(id) ?? 0);
      if (takesBack !== undefined) {
        // Runs are read newest first, so later undos and redos are known by now.
        const before = takenBack.get(takesBack) ?? 0;
        takenBack.set(takesBack, before + left('delete done', 'restore done'));
      } else if (left('create done') > 0) {
        return { id, added: left('create done') };
      }
    } finally {
      other?.close();
    }
  }
  return undefined;
}

function isSame(other: Ledger, rows: SameRows | undefined, { account }: Target): boolean {
  return (other.fact(fact) as SameRows | undefined)?.mark === rows?.mark && isOwnRun(other, account);
}

/**
 * Ends an earlier run of the same rows if this one finds its records. Throws if the rows would be added twice; nothing
 * was sent then. Call it while the run has its locks, just before it is recorded as begun.
 */
export function refuseRepeated(beginning: Beginning): void {
  const { ledger, env } = beginning;
  const rows = ledger.fact(fact) as SameRows | undefined;
  if (!rows) return;
  const isSent = ledger.waitedFor.some(({ rows: mark }) => mark === rows.mark);
  if (isSent && !rows.isFound) throw sentMeanwhile();
  const others = runIds(env).filter((id) => id !== ledger.id);
  for (const id of others.filter((other) => isUnfinished(other, rows, beginning))) endRun(env, id);
}

/** Returns whether a run of the same rows was begun and not ended. Throws if these rows can't be sent after it. */
function isUnfinished(id: string, rows: SameRows, beginning: Beginning): boolean {
  const ledger = openReadableRun(beginning.env, id);
  if (!ledger) return false;
  try {
    if (!isSame(ledger, rows, beginning)) return false;
    const isUnfinished = ledger.fact('state') === 'unfinished';
    if (isUnfinished && !rows.isFound && !hasOwnPlace(beginning))
      throw leftHalf(id, ledger.count('done'), ledger.count());
    // A time in the future means that the run was sent before the clock was set back.
    const last = ledger.lastSent();
    const isSentMeanwhile = last >= beginning.since && last <= beginning.now + reconcileAfterMs;
    if (!rows.isFound && isSentMeanwhile) throw sentMeanwhile(id);
    return isUnfinished && rows.isFound && !ledger.isBusy();
  } finally {
    ledger.close();
  }
}

/** Returns whether the ledger is in a file of the user, who then keeps track of runs without boh. */
function hasOwnPlace({ ledger, env }: Beginning): boolean {
  return ledger.isKept && dirname(resolve(ledger.file)) !== runsFolder(env);
}

/**
 * Returns the failure of rows that another process has just sent. There is no id if its ledger wasn't kept, or is in a
 * file that its command line named.
 */
function sentMeanwhile(id?: string): Failure {
  const which = id === undefined ? '' : ` (run ${id})`;
  return new Failure(
    'unavailable',
    `Another process just sent these rows${which}. The created records are unknown. Nothing was sent.`,
    { hint: 'If you run it again, all rows are created a second time.', outcome: 'not_sent' },
  );
}

function leftHalf(id: string, done: number, all: number): Failure {
  return usage(
    `Run ${id} already created ${done} of these ${all} rows, but the created records are unknown. Importing again could create duplicates. Nothing was sent.`,
    {
      hint: boh.hint`To resume it: ${boh.account('runs resume', id)}. To find rows by a key: --key. To import them again anyway: --ledger FILE`,
    },
  );
}
