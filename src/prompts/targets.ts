/** Reads the IDs of a command line. `-` reads IDs from standard input, one per line, as `-o id` writes them. */
import { Failure, usage } from '../base/errors.ts';
import { joinHints } from '../base/hint.ts';
import type { Call } from '../client/request.ts';
import type { Context } from '../context/context.ts';
import type { Operation } from '../contract/operation.ts';
import { readSource } from '../input/text-source.ts';
import type { Session } from '../session/session.ts';
import { acceptsSeveralTargets, canAsk, completeIds, idPrompts } from './missing-input.ts';

/** The IDs of one call. */
export type Target = readonly string[];

/** The records of a command line, one target per call. */
export interface Targets {
  all: readonly Target[];
  /** Whether the command line has several records or `-`. The output is then a list, even for one record. */
  isBulk: boolean;
  /** The index of the ID that differs between calls. */
  varyingIndex: number;
}

/** Reads the targets of a command line. Asks for missing IDs on a terminal. */
export async function readTargets(
  context: Context,
  operation: Operation,
  args: readonly string[],
): Promise<Targets> {
  const count = operation.params.length;
  if (args.length === 0 && isUsuallyBulk(operation) && canAsk(context)) {
    const { askSeveralIds } = await idPrompts();
    const ids = await askSeveralIds(context, operation);
    return { all: ids.map((id) => [id]), isBulk: ids.length > 1, varyingIndex: 0 };
  }
  if (!acceptsSeveralTargets(operation) || args.length < count) {
    const ids = await completeIds(context, operation, args);
    return { all: [ids], isBulk: false, varyingIndex: 0 };
  }
  return combineIds(args, count, await readIdsFromStdin(args, context));
}

/** Returns whether the operation is often used for several records at once. */
function isUsuallyBulk({ effect, resource }: Operation): boolean {
  return (effect === 'delete' || effect === 'restore') && resource.list !== undefined;
}

/** Returns whether the command line reads IDs from standard input. */
export function readsStdin(args: readonly string[]): boolean {
  return args.includes(stdinArg);
}

const stdinArg = '-';

/** Replaces lookups with IDs. If a record isn't found, the hint explains that a name with spaces needs quotes. */
export async function resolveTargets(
  session: Pick<Session, 'names'>,
  calls: readonly Call[],
): Promise<Call[]> {
  try {
    return await session.names.resolveAll(calls);
  } catch (error) {
    const hasUnquotedName = calls.length > 1 && calls.some(({ ids }) => ids?.at(-1)?.startsWith('@'));
    if (!(error instanceof Failure) || error.category !== 'not_found' || !hasUnquotedName) throw error;
    const hint = joinHints(' ', 'A name with spaces needs quotes: "@Fresh Farms".', error.details.hint);
    throw new Failure(error.category, error.message, { ...error.details, hint });
  }
}

function combineIds(
  args: readonly string[],
  count: number,
  stdinIds: readonly string[] | undefined,
): Targets {
  const leadingArgs = args.slice(0, count - 1);
  const lists = [...leadingArgs.map((arg) => [arg]), args.slice(count - 1)].map((list) =>
    list.flatMap((arg) => (arg === stdinArg ? (stdinIds ?? []) : [arg])),
  );
  const all = lists.reduce<string[][]>(
    (prefixes, list) => prefixes.flatMap((prefix) => list.map((id) => [...prefix, id])),
    [[]],
  );
  return {
    all,
    isBulk: stdinIds !== undefined || args.length > count,
    varyingIndex: leadingArgs.includes(stdinArg) ? leadingArgs.indexOf(stdinArg) : count - 1,
  };
}

async function readIdsFromStdin(
  args: readonly string[],
  { streams }: Context,
): Promise<string[] | undefined> {
  if (!readsStdin(args)) return undefined;
  if (args.indexOf(stdinArg) !== args.lastIndexOf(stdinArg)) {
    throw usage('Standard input can be read only once: use - only once.');
  }
  const { text } = await readSource({ argument: stdinArg, flag: stdinArg }, streams);
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
