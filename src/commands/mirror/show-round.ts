/** Formats a sync of the mirror: its progress, its outcomes and its notes. */

import { joinHints } from '../../base/hint.ts';
import { joinItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import type { SyncOutcome, SyncRound, SyncWatcher } from '../../mirror/sync/round.ts';
import { createHeapLimiter } from '../../output/heap-limiter.ts';
import { warn } from '../../terminal/messages.ts';
import { startPartsProgress } from '../../terminal/progress.ts';

/** The progress of a sync on the screen. */
interface RoundProgress extends SyncWatcher {
  done(): void;
}

/** Returns a display for the progress of a sync of `parts` resources. */
export function createRoundProgress(context: Context, resourceCount: number): RoundProgress {
  const { streams } = context;
  const progress = startPartsProgress(streams, resourceCount);
  const limitHeap = createHeapLimiter(context);
  let previousCount = 0;
  return {
    done: progress.done,
    onBegin({ nouns, isHistory }) {
      progress.startPart(`Reading ${isHistory ? 'the history' : nouns}`);
      previousCount = 0;
    },
    onRecords(count, expected) {
      limitHeap(Math.max(count - previousCount, 0));
      previousCount = count;
      progress.update(count, expected);
    },
    onOutcome({ nouns, isHistory, synced, failure }) {
      if (synced?.incomplete !== undefined) {
        progress.done();
        warn(streams, `${nouns}: ${synced.incomplete} The records that were read are in the mirror.`);
      }
      if (!failure) return;
      progress.done();
      const { message, details } = failure;
      warn(streams, isHistory ? (joinHints(' ', message, details.hint) ?? '') : `${nouns}: ${message}`);
    },
  };
}

/** Returns the notes after the table. */
export function roundNotes({ outcomes, excluded }: SyncRound, label: string): string[] {
  return [
    ...outcomes.flatMap(otherFieldNotes),
    ...(excluded.length > 0 ? [`Excluded: ${excluded.join(', ')}.`] : []),
    `Mirror: ${label}`,
  ];
}

function otherFieldNotes({ nouns, synced }: SyncOutcome): string[] {
  const { unknown = [], mismatched = [] } = synced?.otherFields ?? {};
  const fieldNotes = (kind: string, names: readonly string[]) =>
    names.length === 0
      ? []
      : [
          `The service returns ${kind} for ${nouns}: ${joinItems(names)}. The mirror stores them in other_fields.`,
        ];
  return [
    ...fieldNotes('unknown fields', unknown),
    ...fieldNotes("values that don't fit their column", mismatched),
  ];
}

/** Returns the outcome of one resource as a row. */
export function outcomeRow({ name, synced, failure }: SyncOutcome) {
  return {
    resource: name,
    read: synced?.read ?? null,
    removed: synced?.removed ?? null,
    whole: synced?.isWhole ?? null,
    error: failure?.message ?? synced?.incomplete ?? null,
  };
}

/** Returns the outcome of a sync as one line, for `--every`. */
export function formatRound({ outcomes }: SyncRound): string {
  const sum = (name: 'read' | 'removed') =>
    outcomes.reduce((total, { synced }) => total + (synced?.[name] ?? 0), 0);
  const failedCount = outcomes.filter(({ failure }) => failure).length;
  const parts = [`${sum('read')} records read`, `${sum('removed')} removed`];
  return [
    ...parts,
    ...(failedCount > 0 ? [`${failedCount} of ${outcomes.length} resources failed`] : []),
  ].join(', ');
}
