/** Which records a line names: ids one after the other, and `-` for those on standard input, one a line as `-o id` writes them. */
import { Failure, usage } from '../base/errors.ts';
import { joinHints } from '../base/hint.ts';
import type { Call } from '../client/request.ts';
import type { Context } from '../context/context.ts';
import type { Operation } from '../contract/operation.ts';
import { readSource } from '../input/text-source.ts';
import type { Session } from '../session/session.ts';
import { canAsk, completeIds, takesSeveral } from './missing-input.ts';

/** Ids of one call. */
export type Target = readonly string[];

export interface Targets {
  all: readonly Target[];
  /** More than one is named, or `-`: the output then tells of each, however many there are. */
  isSeveral: boolean;
  /** Which of the ids tells one call from another. */
  varying: number;
}

/** Asks for ids that are missing where somebody can answer. */
export async function namedTargets(
  context: Context,
  operation: Operation,
  words: readonly string[],
): Promise<Targets> {
  const count = operation.params.length;
  if (words.length === 0 && isForMany(operation) && canAsk(context)) {
    const { askSeveralIds } = await import('./ask-ids.ts');
    const ids = await askSeveralIds(context, operation);
    return { all: ids.map((id) => [id]), isSeveral: ids.length > 1, varying: 0 };
  }
  if (!takesSeveral(operation) || words.length < count) {
    const ids = await completeIds(context, operation, words);
    return { all: [ids], isSeveral: false, varying: 0 };
  }
  return spread(words, count, await idsBehind(words, context));
}

/** Whether people mean several records more often than one: nothing is said of each but that it goes or comes back. */
function isForMany({ effect, resource }: Operation): boolean {
  return (effect === 'delete' || effect === 'restore') && resource.list !== undefined;
}

/** Whether a word stands for the ids on standard input. */
export function readsIds(words: readonly string[]): boolean {
  return words.includes(fromInput);
}

const fromInput = '-';

/** The ids of calls in the place of look-ups. A name of several words that stood without quotes has become several names. */
export async function resolveTargets(
  session: Pick<Session, 'resolveAll'>,
  calls: readonly Call[],
): Promise<Call[]> {
  try {
    return await session.resolveAll(calls);
  } catch (error) {
    const isSplit = calls.length > 1 && calls.some(({ ids }) => ids?.at(-1)?.startsWith('@'));
    if (!(error instanceof Failure) || error.category !== 'not_found' || !isSplit) throw error;
    const hint = joinHints(' ', 'A name with spaces needs quotes: "@Fresh Farms".', error.details.hint);
    throw new Failure(error.category, error.message, { ...error.details, hint });
  }
}

function spread(words: readonly string[], count: number, given: readonly string[] | undefined): Targets {
  const outer = words.slice(0, count - 1);
  const lists = [...outer.map((word) => [word]), words.slice(count - 1)].map((list) =>
    list.flatMap((word) => (word === fromInput ? (given ?? []) : [word])),
  );
  const all = lists.reduce<string[][]>(
    (heads, list) => heads.flatMap((head) => list.map((id) => [...head, id])),
    [[]],
  );
  return {
    all,
    isSeveral: given !== undefined || words.length > count,
    varying: outer.includes(fromInput) ? outer.indexOf(fromInput) : count - 1,
  };
}

async function idsBehind(words: readonly string[], { streams }: Context): Promise<string[] | undefined> {
  if (!readsIds(words)) return undefined;
  if (words.indexOf(fromInput) !== words.lastIndexOf(fromInput)) {
    throw usage('Standard input can be read once: write - in one place.');
  }
  const { text } = await readSource({ given: fromInput, flag: fromInput }, streams);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
