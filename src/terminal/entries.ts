/** Lists to choose from that are known from the start, or that somebody finds. */
import { Failure } from '../errors.ts';
import { foldedWords, foldText, holdsWords } from '../fold-text.ts';
import { numeral } from './numeral.ts';
import type { Choice, Entries, SearchQuestion } from './questions.ts';

/** All there are. */
export function fixedEntries<Value>(choices: readonly Choice<Value>[]): Entries<Value> {
  const folded = choices.map(({ label, searched = '' }) => foldText(`${label} ${searched}`));
  const matching = (typed: string) => {
    const words = foldedWords(typed);
    return words.length === 0
      ? choices
      : choices.filter((_, index) => holdsWords(folded[index] ?? '', words));
  };
  return {
    matching,
    status: (typed) =>
      typed === '' ? '' : `${numeral(matching(typed).length)} of ${numeral(choices.length)}`,
    isWhole: () => true,
    want: async () => {},
    onChange: () => () => {},
  };
}

/** Milliseconds without a key before somebody is asked: a service allows as few as 30 requests a minute. */
const pause = 250;

/** What a source answers to each text; the answer to the one before stays until there is another. */
export function foundEntries<Value>(source: SearchQuestion<Value>['source']): Entries<Value> {
  const listeners = new Set<(failure?: unknown) => void>();
  let found: readonly Choice<Value>[] = [];
  let asked: string | undefined;
  let problem = '';
  let isWaiting = false;
  let controller = new AbortController();
  const tell = (failure?: unknown) => {
    for (const listener of listeners) listener(failure);
  };

  async function ask(typed: string): Promise<void> {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    isWaiting = true;
    if (typed !== '') await new Promise((resolve) => setTimeout(resolve, pause));
    if (signal.aborted) return;
    try {
      const choices = await source(typed, signal);
      if (signal.aborted) return;
      [found, problem, isWaiting] = [choices, '', false];
      tell();
    } catch (error) {
      if (signal.aborted) return;
      isWaiting = false;
      if (isPassing(error)) problem = error.message;
      tell(isPassing(error) ? undefined : error);
    }
  }

  return {
    matching: () => found,
    status: () => problem || (isWaiting ? 'Looking…' : found.length === 0 ? 'Nothing found.' : ''),
    isWhole: () => !isWaiting,
    want: async (typed) => {
      if (typed === asked) return;
      asked = typed;
      await ask(typed);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** No connection or too many requests: both can be over by the next key. */
export function isPassing(error: unknown): error is Failure {
  return error instanceof Failure && (error.category === 'unavailable' || error.category === 'rate_limited');
}
