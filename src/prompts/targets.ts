/** Reads the ids of a command line. `-` reads ids from standard input, one per line, as `-o id` writes them. */
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

/** The records of a command line, one target per call. */
export interface Targets {
  all: readonly Target[];
  /** Whether more than one record or `-` is named. The output is then a list, even for one record. */
  isSeveral: boolean;
  /** The index of the id that differs between calls. */
  varyingIndex: number;
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
    return { all: ids.map((id) => [id]), isSeveral: ids.length > 1, varyingIndex: 0 };
  }
  if (!takesSeveral(operation) || words.length < count) {
    const ids = await completeIds(context, operation, words);
    return { all: [ids], isSeveral: false, varyingIndex: 0 };
  }
  return combineIds(words, count, await readIdsFromStdin(words, context));
}

/** Returns whether the operation is often used for several records at once. */
function isForMany({ effect, resource }: Operation): boolean {
  return (effect === 'delete' || effect === 'restore') && resource.list !== undefined;
}

/** Returns whether the ids are read from standard input. */
export function readsStdin(words: readonly string[]): boolean {
  return words.includes(stdinWord);
}

const stdinWord = '-';

/** Replaces look-ups by ids. If a record isn't found, the hint explains that a name with spaces needs quotes. */
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

function combineIds(
  words: readonly string[],
  count: number,
  stdinIds: readonly string[] | undefined,
): Targets {
  const leadingWords = words.slice(0, count - 1);
  const lists = [...leadingWords.map((word) => [word]), words.slice(count - 1)].map((list) =>
    list.flatMap((word) => (word === stdinWord ? (stdinIds ?? []) : [word])),
  );
  const all = lists.reduce<string[][]>(
    (prefixes, list) => prefixes.flatMap((head) => list.map((id) => [...head, id])),
    [[]],
  );
  return {
    all,
    isSeveral: stdinIds !== undefined || words.length > count,
    varyingIndex: leadingWords.includes(stdinWord) ? leadingWords.indexOf(stdinWord) : count - 1,
  };
}

async function readIdsFromStdin(
  words: readonly string[],
  { streams }: Context,
): Promise<string[] | undefined> {
  if (!readsStdin(words)) return undefined;
  if (words.indexOf(stdinWord) !== words.lastIndexOf(stdinWord)) {
    throw usage('Standard input can be read only once: use - only once.');
  }
  const { text } = await readSource({ given: stdinWord, flag: stdinWord }, streams);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
