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
  /** The newest queue place that was assigned. */
  place: number;
}

/** Returns the end of the journal; call it in a transaction. */
export function endOfQueue(database: Database): Tail {
  const tail = database.get('SELECT place, number, hash FROM tail');
  if (!tail) throw database.damaged();
  return { position: Number(tail.place), number: Number(tail.number), hash: String(tail.hash) };
}

/** Returns the loss, if any. Read `noted` first: the journal is then at least as new. Requires a transaction. */
export function lossIn(database: Database, noted: RecordedEnd, file: FileIdentity): Loss | undefined {
  const tail = endOfQueue(database);
  const [upTo, place] = [Math.max(noted.number, tail.number), Math.max(noted.position, tail.position)];
  const found = (kind: LossKind): Loss => ({ kind, after: tail.number, upTo, place });
  if (tail.position < noted.position) return found('shorter');
  const hash = hashAt(noted.position, tail, database);
  if (hash !== undefined && hash !== noted.hash) return found('replaced');
  // If the head file is the file that was written, nothing was added after its end.
  return isSameFile(file, noted.file) || !noted.isCopied ? undefined : found('copied');
}

/** Returns undefined if the place has moved to the tables and nothing of it is left in the queue. */
function hashAt(place: number, tail: Tail, database: Database): string | undefined {
  if (place === tail.position) return tail.hash;
  const row =
    database.get('SELECT hash FROM queue WHERE place = ?', place) ??
    database.get('SELECT entered_hash AS hash FROM tail WHERE entered_place = ?', place);
  return row && String(row.hash);
}

/** Returns one or two sentences about a loss, for messages. */
export function describeLoss({ kind, after, upTo }: Pick<Loss, 'kind' | 'after' | 'upTo'>): string {
  if (kind === 'copied')
    return `The history was restored from a backup or moved: writes after ${after} may be missing.`;
  const because = 'the file was damaged or replaced by an older copy';
  if (kind === 'replaced')
    return `The history is not the newest, which had writes up to ${upTo}: ${because}.`;
  if (upTo === after) return `The history has lost the outcomes of its newest writes: ${because}.`;
  const lost = upTo === after + 1 ? `write ${upTo}` : `writes ${after + 1} to ${upTo}`;
  return `The history has lost ${lost}: ${because}.`;
}

/** Returns what a user can do about a loss; `file` is the journal. */
export function lossHint(file: string): Hint {
  return boh.hint`Restore ${file} and its -wal file from a backup that contains them, or accept the loss: ${boh.account('history verify', '--accept-loss')}`;
}
