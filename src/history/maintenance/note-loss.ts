/** Records a loss in the journal and continues after it, so that no assigned number is reused. */
import type { Hint } from '../../base/hint.ts';
import { isRow } from '../../session/row.ts';
import { enterQueued } from '../journal/enter-queued.ts';
import { Head } from '../journal/head.ts';
import type { Journal } from '../journal/journal.ts';
import { describeLoss, type Loss, type LossKind, lossHint } from '../journal/loss.ts';

/**
 * The number of entry numbers that are skipped if the journal is a copy, because later numbers may have been assigned.
 */
const skippedNumbers = 100_000;

/** A recorded loss: the content of a mark. */
export interface NotedLoss extends Omit<Loss, 'position'> {
  /** The newest number that can't be reused. */
  next: number;
}

/** Records a loss; undefined if another process has already recorded it. `now` is in milliseconds. */
export function noteLoss(journal: Journal, now: number): NotedLoss | undefined {
  const { database } = journal;
  enterQueued(database);
  let recordedLoss: NotedLoss | undefined;
  journal.continueAfterLoss(() => {
    const loss = journal.findLoss();
    if (!loss) return;
    const { position, ...content } = loss;
    const head = new Head(database);
    head.number = content.upTo + (content.kind === 'copied' ? skippedNumbers : 0);
    recordedLoss = { ...content, next: head.number };
    head.mark(now, 'lost', recordedLoss);
    head.store();
    const { hash = '' } = database.get('SELECT hash FROM chain_end') ?? {};
    database.run(
      'UPDATE tail SET place = ?1, number = ?2, hash = ?3, entered_place = ?1, entered_hash = ?3',
      ...[position + 1, head.number, hash],
    );
  });
  return recordedLoss;
}

/** Returns the message for a loss that was found by a write. */
export function lossNotice(loss: NotedLoss, { database }: Journal): Hint {
  return [`${describeLoss(loss)} Numbers continue at ${loss.next + 1}. `, lossHint(database.file)];
}

/** Accepts all losses so far: verify then reports the journal as intact. */
export function acceptLosses({ database }: Journal, now: number): void {
  database.write(() => {
    const head = new Head(database);
    head.mark(now, 'accepted', {});
    head.store();
  });
}

const kinds: ReadonlySet<unknown> = new Set<LossKind>(['shorter', 'replaced', 'copied']);

/** Returns the loss from the content of a mark. */
export function lossInMark(content: unknown): NotedLoss | undefined {
  if (!isRow(content) || !kinds.has(content.kind)) return undefined;
  const areNumbers = [content.after, content.upTo, content.next].every((cell) => Number.isSafeInteger(cell));
  return areNumbers ? (content as unknown as NotedLoss) : undefined;
}
