/** Shows a sync of the mirror: its progress, its outcomes and its notes. */

import { joinHints } from '../../base/hint.ts';
import { namedItems } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import type { Round, RoundOutcome, RoundWatcher } from '../../mirror/sync/round.ts';
import { steadyHeap } from '../../output/steady-heap.ts';
import { warn } from '../../terminal/messages.ts';
import { partsProgress } from '../../terminal/progress.ts';

/** Shows the progress of a sync. */
interface ShownRound extends RoundWatcher {
  done(): void;
}

/** Shows the progress of a sync, which has `parts` resources. */
export function showRound(context: Context, parts: number): ShownRound {
  const { streams } = context;
  const shown = partsProgress(streams, parts);
  const keepSteady = steadyHeap(context);
  let before = 0;
  return {
    done: shown.done,
    onBegin({ nouns, isHistory }) {
      shown.startPart(`Reading ${isHistory ? 'the history' : nouns}`);
      before = 0;
    },
    onRecords(count, expected) {
      keepSteady(Math.max(count - before, 0));
      before = count;
      shown.update(count, expected);
    },
    onOutcome({ nouns, isHistory, synced, failure }) {
      if (synced?.incomplete !== undefined) {
        shown.done();
        warn(streams, `${nouns}: ${synced.incomplete} The records that were read are in the mirror.`);
      }
      if (!failure) return;
      shown.done();
      const { message, details } = failure;
      warn(streams, isHistory ? (joinHints(' ', message, details.hint) ?? '') : `${nouns}: ${message}`);
    },
  };
}

/** Returns the notes after the table. */
export function remarksOf({ outcomes, excluded }: Round, label: string): string[] {
  return [
    ...outcomes.flatMap(otherFieldNotes),
    ...(excluded.length > 0 ? [`Excluded: ${excluded.join(', ')}.`] : []),
    `The mirror is ${label}`,
  ];
}

function otherFieldNotes({ nouns, synced }: RoundOutcome): string[] {
  const { unknown = [], unfit = [] } = synced?.otherFields ?? {};
  const noteOf = (what: string, names: readonly string[]) =>
    names.length === 0
      ? []
      : [
          `The service returns ${what} for ${nouns}: ${namedItems(names)}. The mirror stores them in other_fields.`,
        ];
  return [...noteOf('unknown fields', unknown), ...noteOf("values that don't fit their column", unfit)];
}

/** Returns the outcome of one resource as a row. */
export function factsOf({ name, synced, failure }: RoundOutcome) {
  return {
    resource: name,
    read: synced?.read ?? null,
    removed: synced?.removed ?? null,
    whole: synced?.isWhole ?? null,
    error: failure?.message ?? synced?.incomplete ?? null,
  };
}

/** Returns the outcome of a sync as one line, for `--every`. */
export function lineOf({ outcomes }: Round): string {
  const sum = (of: 'read' | 'removed') => outcomes.reduce((all, { synced }) => all + (synced?.[of] ?? 0), 0);
  const failed = outcomes.filter(({ failure }) => failure).length;
  const parts = [`${sum('read')} records read`, `${sum('removed')} removed`];
  return [...parts, ...(failed > 0 ? [`${failed} of ${outcomes.length} resources failed`] : [])].join(', ');
}
