/** Runs of the same rows into the same account: never two at once, and none is gone on with once a later one has planned it anew. */
import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../../environment.ts';
import { Failure, usage } from '../../errors.ts';
import { isBusy } from '../../storage/failures.ts';
import { hold } from '../../storage/hold.ts';
import { Turns } from '../../storage/turns.ts';
import type { Ledger } from './ledger.ts';
import { endRun, openedRun, settleAfter } from './left-runs.ts';
import { runIds, runsFolder } from './runs.ts';
import { undoingOf } from './undoing.ts';

/** What tells that two runs would write the same; a fact of the ledger. */
export interface SameRows {
  mark: string;
  /** Whether what an earlier run has added is found by its key or id; else it would be added once more. */
  isFound: boolean;
}

const fact = 'same_rows';

export function noteRows(ledger: Ledger, rows: SameRows): void {
  ledger.setFact(fact, rows);
}

export function markOfRows(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The account that a run writes to. */
interface Target {
  env: Environment;
  place: string;
  /** Whom the token is for, as far as it may ask. */
  business: string | null;
}

export interface Beginning extends Target {
  ledger: Ledger;
  /** When its plan was begun, in milliseconds since 1970. */
  since: number;
  /** Now, by the same clock. */
  now: number;
}

/**
 * The newest run of the same rows that has ended, and how many of the records that it has added were not taken back by
 * an undo; undefined where there is none.
 */
export function addedBefore(ledger: Ledger, target: Target): { id: string; added: number } | undefined {
  const rows = ledger.fact(fact) as SameRows | undefined;
  const takenBack = new Map<string, number>();
  for (const id of rows ? runIds(target.env) : []) {
    const other = id === ledger.id ? undefined : openedRun(target.env, id);
    try {
      if (!other) continue;
      const takesBack = undoingOf(other)?.takesBack;
      if (takesBack === undefined && !isSame(other, rows, target)) continue;
      const counts = other.counts();
      const left = (...kinds: string[]) =>
        kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0) - (takenBack.get(id) ?? 0);
      if (takesBack !== undefined) {
        // Newest first: what was done again since, or undone, is known by now.
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

function isSame(other: Ledger, rows: SameRows | undefined, { place, business }: Target): boolean {
  return (
    (other.fact(fact) as SameRows | undefined)?.mark === rows?.mark &&
    other.fact('place') === place &&
    (other.fact('business') ?? null) === business
  );
}

/**
 * Does `begin`, which makes the run one that is at work, unless the same rows are being sent by another process, were
 * sent while these were planned, or were left half added. Throws then, and nothing was sent. Answers what is to be called
 * when the run has ended.
 */
export async function beginAlone(beginning: Beginning, begin: () => void): Promise<() => void> {
  const { ledger, env, place, business } = beginning;
  const rows = ledger.fact(fact) as SameRows | undefined;
  if (!rows) {
    begin();
    return () => undefined;
  }
  // Two that begin at the same moment would otherwise each find the other one not yet begun.
  const file = join(runsFolder(env), `begin-${markOfRows(place, business).slice(0, 16)}`);
  const naming = { file, called: 'The place in which runs begin', remedy: `Set ${file} aside.` };
  const held = await new Turns().soon(() => hold(naming));
  try {
    const others = runIds(env).filter((id) => id !== ledger.id);
    const left = others.filter((id) => isLeft(id, rows, beginning));
    const free = keepRows(ledger, beginning);
    for (const id of left) endRun(env, id);
    begin();
    return free;
  } finally {
    held.release();
  }
}

/**
 * Keeps the rows to this process while it sends them, wherever its ledger is, if it has one that lasts at all. Answers
 * what gives them free. Throws where another process has them.
 */
export function keepRows(ledger: Ledger, { env, place, business }: Target): () => void {
  const rows = ledger.fact(fact) as SameRows | undefined;
  if (!rows) return () => undefined;
  const file = join(runsFolder(env), `sending-${markOfRows(rows.mark, place, business).slice(0, 32)}`);
  try {
    return hold({ file, called: 'The place of rows that are sent', remedy: `Set ${file} aside.` }).clear;
  } catch (error) {
    throw isBusy(error) ? busyWith() : error;
  }
}

/** Whether a run of the same rows was begun and not ended. Throws where these can't be sent beside it, or after it. */
function isLeft(id: string, rows: SameRows, beginning: Beginning): boolean {
  const ledger = openedRun(beginning.env, id);
  if (!ledger) return false;
  try {
    if (!isSame(ledger, rows, beginning)) return false;
    if (isKept(ledger)) throw busyWith(id);
    const isUnfinished = ledger.fact('state') === 'unfinished';
    if (isUnfinished && !rows.isFound && !hasOwnPlace(beginning))
      throw leftHalf(id, ledger.count('done'), ledger.count());
    // What a process that was killed has sent may still be on its way.
    const until = ledger.count('sent') > 0 ? settleAfter : 0;
    // What is from the future was sent before the clock was set back.
    const last = ledger.lastSent();
    if (last + until >= beginning.since && last <= beginning.now + settleAfter) throw sentMeanwhile(id, rows);
    return isUnfinished && rows.isFound;
  } finally {
    ledger.close();
  }
}

/** Whoever names the file of a ledger keeps account of the runs without boh. */
function hasOwnPlace({ ledger, env }: Beginning): boolean {
  return ledger.isKept && dirname(resolve(ledger.file)) !== runsFolder(env);
}

/** Whether another process carries it out. */
function isKept({ file }: Ledger): boolean {
  try {
    hold({ file, called: '', remedy: '' }).release();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}

/** Without an id: of a run of which nothing is kept, or only a file that its line has named. */
function busyWith(id?: string): Failure {
  const which = id === undefined ? '' : ` (run ${id})`;
  return new Failure('unavailable', `Another process is sending these rows${which}; nothing was sent.`, {
    hint: id === undefined ? 'Wait for it to end.' : 'See how far it is: boh runs list',
    outcome: 'not_sent',
  });
}

function sentMeanwhile(id: string, { isFound }: SameRows): Failure {
  return new Failure(
    'unavailable',
    `Another process has sent these rows a moment ago (run ${id}), so that what was planned may be done already; nothing was sent.`,
    {
      hint: isFound
        ? 'Run it again: what is there by then is found.'
        : 'Run it again only where all of it is to be added once more.',
      outcome: 'not_sent',
    },
  );
}

function leftHalf(id: string, done: number, all: number): Failure {
  return usage(
    `These rows were begun before, and ${done} of ${all} are done (run ${id}): nothing tells which of them are there, so that they would be added twice. Nothing was sent.`,
    {
      hint: `To go on: boh runs resume ${id}. Rows that have a key are found by it (--key); --ledger FILE begins anew all the same.`,
    },
  );
}
