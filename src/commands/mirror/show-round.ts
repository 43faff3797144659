/** A sync of a mirror as people and programs see it: a sign of life meanwhile, and in words what came of it. */
import type { Context } from '../../interaction/context.ts';
import { steadyHeap } from '../../interaction/output/steady-heap.ts';
import type { Round, RoundOutcome, RoundWatcher } from '../../mirror/sync/round.ts';
import { warn } from '../../terminal/messages.ts';
import { partsProgress } from '../../terminal/progress.ts';

export interface ShownRound extends RoundWatcher {
  done(): void;
}

export function showRound(context: Context, parts: number): ShownRound {
  const { streams } = context;
  const shown = partsProgress(streams, parts);
  const keepSteady = steadyHeap(context);
  let before = 0;
  return {
    done: shown.done,
    onBegin({ nouns, isHistory }) {
      shown.begin(`Reading ${isHistory ? 'the history' : nouns}`);
      before = 0;
    },
    onRecords(count, expected) {
      keepSteady(Math.max(count - before, 0));
      before = count;
      shown.update(count, expected);
    },
    onOutcome({ nouns, isHistory, failure }) {
      if (!failure) return;
      shown.done();
      const { message, details } = failure;
      const words = isHistory ? [message, details.hint] : [`${nouns}: ${message}`];
      warn(streams, words.filter(Boolean).join(' '));
    },
  };
}

/** What people are told beside the outcomes. */
export function remarksOf({ outcomes, leftOut }: Round, called: string): string[] {
  return [
    ...outcomes.flatMap(keptBeside),
    ...(leftOut.length > 0 ? [`Left out: ${leftOut.join(', ')}.`] : []),
    `The mirror is ${called}`,
  ];
}

function keptBeside({ nouns, synced }: RoundOutcome): string[] {
  const { unknown = [], unfit = [] } = synced?.beside ?? {};
  const told = (what: string, names: readonly string[]) =>
    names.length === 0
      ? []
      : [`The service shows of ${nouns} ${what}: ${some(names)}. It is kept in other_fields.`];
  return [...told('what boh doesn’t know', unknown), ...told('what fits no column', unfit)];
}

/** As many as a person reads. */
const mostNames = 20;

function some(names: readonly string[]): string {
  const left = names.length - mostNames;
  return names.slice(0, mostNames).join(', ') + (left > 0 ? ` and ${left} more` : '');
}

export function factsOf({ name, synced, failure }: RoundOutcome) {
  return {
    resource: name,
    read: synced?.read ?? null,
    removed: synced?.removed ?? null,
    whole: synced?.isWhole ?? null,
    error: failure?.message ?? null,
  };
}

/** For people who watch. */
export function lineOf({ outcomes }: Round): string {
  const sum = (of: 'read' | 'removed') => outcomes.reduce((all, { synced }) => all + (synced?.[of] ?? 0), 0);
  const failed = outcomes.filter(({ failure }) => failure).length;
  const parts = [`${sum('read')} records read`, `${sum('removed')} removed`];
  return [...parts, ...(failed > 0 ? [`${failed} of ${outcomes.length} resources failed`] : [])].join(', ');
}
