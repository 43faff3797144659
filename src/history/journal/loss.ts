/** Detects writes that a journal has lost since its end was last recorded. */
import { boh, type Hint } from '../../base/hint.ts';
import type { Database } from '../../storage/database.ts';
import { type FileIdentity, isSameFile, type RecordedEnd } from '../../storage/head-file.ts';
import type { Tail } from './queue.ts';

/**
 * - `shorter`: the journal ends before the recorded end, because it was damaged or replaced by an older copy.
 * - `replaced`: it has different entries at the recorded end.
 * - `copied`: it ends there but is another file; both may be restored from an older backup, or moved.
 */
export type LossKind = 'shorter' | 'replaced' | 'copied';

/** A detected loss, as the journal stores it. */
export interface Loss {
  kind: LossKind;
  /** The number of the newest write that the journal still contains. */
  after: number;
  /** The number of the newest acknowledged write, as far as it is known. */
  upTo: number;
  /** The newest queue position that was assigned. */
  position: number;
}

/** Returns the end of the journal; call it in a transaction. */
export function endOfQueue(database: Database): Tail {
  const tail = database.get('SELECT place, number, hash FROM tail');
  if (!tail) throw database.damagedFailure();
  return { position: Number(tail.place), number: Number(tail.number), hash: String(tail.hash) };
}

/** Returns the loss, if any. Read `recordedEnd` first: the journal is then at least as new. Requires a transaction. */
export function lossIn(database: Database, recordedEnd: RecordedEnd, file: FileIdentity): Loss | undefined {
  const tail = endOfQueue(database);
  const [upTo, position] = [
    Math.max(recordedEnd.number, tail.number),
    Math.max(recordedEnd.position, tail.position),
  ];
  const lossOfKind = (kind: LossKind): Loss => ({ kind, after: tail.number, upTo, position });
  if (tail.position < recordedEnd.position) return lossOfKind('shorter');
  const hash = hashAt(recordedEnd.position, tail, database);
  if (hash !== undefined && hash !== recordedEnd.hash) return lossOfKind('replaced');
  // If the head file isn't a copy, nothing was added after its end.
  return isSameFile(file, recordedEnd.file) || !recordedEnd.isCopied ? undefined : lossOfKind('copied');
}

/**
 * Returns the hash of a queue position; undefined if the entry has moved to the tables and its hash is no longer stored.
 */
function hashAt(position: number, tail: Tail, database: Database): string | undefined {
  if (position === tail.position) return tail.hash;
  const row =
    database.get('SELECT hash FROM queue WHERE place = ?', position) ??
    database.get('SELECT entered_hash AS hash FROM tail WHERE entered_place = ?', position);
  return row && String(row.hash);
}

/** Returns one or two sentences about a loss, for messages. */
export function describeLoss({ kind, after, upTo }: Pick<Loss, 'kind' | 'after' | 'upTo'>): string {
  if (kind === 'copied')
    return `The history was restored from a backup or moved: writes after ${after} may be missing.`;
  const reason = 'the file was damaged or replaced by an older copy';
  if (kind === 'replaced') return `The history is not the newest, which had writes up to ${upTo}: ${reason}.`;
  if (upTo === after) return `The history has lost the outcomes of its newest writes: ${reason}.`;
  const lostWrites = upTo === after + 1 ? `write ${upTo}` : `writes ${after + 1} to ${upTo}`;
  return `The history has lost ${lostWrites}: ${reason}.`;
}

/** Returns the hint for a loss; `file` is the journal. */
export function lossHint(file: string): Hint {
  return boh.hint`Restore ${file} and its -wal file from a backup that contains them, or accept the loss: ${boh.account('history verify', '--accept-loss')}`;
}
