/** Reads the records of a command line, and asks for missing IDs, required fields and secrets, or reports them without a terminal. */

import type { Call } from '../../account/client/request.ts';
import type { Row } from '../../account/client/shape.ts';
import type { Session } from '../../account/session/session.ts';
import type { BodyField, Operation } from '../../api/contract/operation.ts';
import { flagName } from '../../api/contract/value-text.ts';
import { Failure, type FieldMessages, missingValue, usage } from '../../base/errors.ts';
import { boh, joinHints } from '../../base/hint.ts';
import type { Context } from '../context/context.ts';
import { readSource } from '../input/read-input.ts';
import { promptsFor } from './terminal/prompts.ts';

/** Loads the prompts that ask for records: pickers and their search. */
export const idPrompts = () => import('./find-record.ts');

/** Returns whether a command line can name several records, or several linked records. */
export function acceptsSeveralTargets({ params, effect }: Operation): boolean {
  return params.length > 0 && effect !== 'act';
}

/** Returns the names of the IDs in help and messages: `id`, or `supplier-id` and `inventory-item-id` for a link. */
export function idNames({ params }: Operation): string[] {
  if (params.length === 1) return ['id'];
  return params.map(({ name }) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}

/** Returns whether boh can ask for missing input. It can't with --offline: there are no records to choose from. */
export function canAsk({ streams, globals }: Context): boolean {
  return streams.interactive && !globals.offline;
}

/** Returns all IDs of an operation. Asks for the missing IDs on a terminal. */
export async function completeIds(
  context: Context,
  operation: Operation,
  initialIds: readonly string[],
): Promise<readonly string[]> {
  const missing = idNames(operation).slice(initialIds.length);
  if (missing.length === 0) return initialIds;
  if (canAsk(context)) {
    const { askIds } = await idPrompts();
    return askIds(context, operation, initialIds);
  }
  const { resource, verb } = operation;
  throw usage(`${resource.command} ${verb} needs ${missing.map((name) => `<${name}>`).join(' and ')}.`, {
    hint: boh.hint`To list IDs: ${boh.account(`${resource.command} list`)}. To find a record by name, write @NAME.`,
  });
}

export function missingFields({ body: fields }: Operation, body: Row): BodyField[] {
  return fields.filter(({ name, mustBeSent }) => mustBeSent && body[name] === undefined);
}

export function missingIds(operation: Operation, ids: readonly string[]): FieldMessages {
  const missing = idNames(operation).slice(ids.length);
  return Object.fromEntries(missing.map((name) => [name, [missingValue]]));
}

/** Asks for the secrets of `--ask FIELD`. */
export async function askSecrets(
  operation: Operation,
  names: readonly string[],
  { streams }: Context,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const name of names.map((argument) => argument.replaceAll('-', '_'))) {
    const entry = operation.body.find((candidate) => candidate.name === name);
    if (!entry)
      throw usage(`${operation.resource.command} ${operation.verb} has no field "${name}" to ask for.`);
    const message = `${entry.field.traits.description ?? flagName(name)}:`;
    const validate = (answer: string) =>
      answer === '' ? 'Enter a value, or press Ctrl-C to cancel.' : undefined;
    answers[name] = await (await promptsFor(streams)).askHidden({ message, validate });
  }
  return answers;
}

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
