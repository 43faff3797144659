/** Reads which records a command line names: ids, and `-` for ids on standard input, one per line as `-o id` writes them. */
import { Failure, usage } from '../base/errors.ts';
import { joinHints } from '../base/hint.ts';
import type { Call } from '../client/request.ts';
import type { Context } from '../context/context.ts';
import type { Operation } from '../contract/operation.ts';
import { readSource } from '../input/text-source.ts';
import type { Session } from '../session/session.ts';
import { canAsk, completeIds, idPrompts, takesSeveral } from './missing-input.ts';

/** The ids of one call. */
export type Target = readonly string[];

/** The calls that a command line asks for. */
export interface Targets {
  all: readonly Target[];
  /** Whether more than one record or `-` is named: the output then has an entry for each, even if it is only one. */
  isSeveral: boolean;
  /** The index of the id that differs between calls. */
  varying: number;
}

/** Reads the targets of a command line. Asks for missing ids on a terminal. */
export async function namedTargets(
  context: Context,
  operation: Operation,
  words: readonly string[],
): Promise<Targets> {
  const count = operation.params.length;
  if (words.length === 0 && isForMany(operation) && canAsk(context)) {
    const { askSeveralIds } = await idPrompts();
    const ids = await askSeveralIds(context, operation);
    return { all: ids.map((id) => [id]), isSeveral: ids.length > 1, varying: 0 };
  }
  if (!takesSeveral(operation) || words.length < count) {
    const ids = await completeIds(context, operation, words);
    return { all: [ids], isSeveral: false, varying: 0 };
  }
  return spread(words, count, await idsFromInput(words, context));
}

/** Returns whether the operation is often used for several records at once. */
function isForMany({ effect, resource }: Operation): boolean {
  return (effect === 'delete' || effect === 'restore') && resource.list !== undefined;
}

/** Returns whether a word stands for the ids on standard input. */
export function readsIds(words: readonly string[]): boolean {
  return words.includes(fromInput);
}

const fromInput = '-';

/** Replaces look-ups by ids. If one isn't found, the hint says that a name with spaces needs quotes. */
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

async function idsFromInput(words: readonly string[], { streams }: Context): Promise<string[] | undefined> {
  if (!readsIds(words)) return undefined;
  if (words.indexOf(fromInput) !== words.lastIndexOf(fromInput)) {
    throw usage('Standard input can be read only once: use - only once.');
  }
  const { text } = await readSource({ given: fromInput, flag: fromInput }, streams);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
