/**
 * Writes the given values to one record or to several, and reports the result. Reads a record first if the write depends
 * on its values: lists changed by difference, --full, and confirmations.
 */
import { Failure, usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import type { Call } from '../../client/request.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { apiOf } from '../../contract/api.ts';
import { isList } from '../../contract/list-text.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { flagName } from '../../contract/text.ts';
import { capitalized } from '../../contract/wording.ts';
import { commandLine } from '../../input/command-line.ts';
import { planned } from '../../output/planned.ts';
import type { Done, Result } from '../../output/result.ts';
import { named } from '../../output/wording.ts';
import { confirmClosing, confirmLoss, lossLines } from '../../prompts/confirming/confirm-save.ts';
import type { Target, Targets } from '../../prompts/targets.ts';
import { changedLists, type ListChange, resolveChanges } from '../../session/diff/lists.ts';
import type { Current } from '../../session/record-body.ts';
import { guardedRecords } from '../bulk/guard.ts';
import type { GuardFlags } from '../bulk/run-flags.ts';
import { picturesAfterWrite } from '../pictures/index.ts';
import { type PreparedCall, runOver } from './run-over.ts';

/** Writes one record. After prompts it also shows the command line that needs none. */
export async function saveOne(
  operation: Operation,
  ids: readonly string[],
  change: GivenChange,
  context: Context,
): Promise<Result> {
  const { call, known: before = change.known } = await callFor(operation, ids, change, context);
  const guard = { flags: change.guard, read: readerIn(context), isShown: change.isConfirmed };
  const [known] = await guardedRecords([{ call, known: before }], guard, context);
  const session = await context.session();
  const written = await session.write(call, { known });
  if (written.planned) return planned(context, [written.planned]);
  const { answered } = written;
  const done = doneWith(operation, written.call.ids ?? [], answered?.record);
  const notes: Hint[] = [done.message];
  if (change.isConfirmed) {
    const line = commandLine(context.globals, operation, call.ids ?? [], call.body);
    notes.push('To repeat this without prompts:', `  ${line}`);
  }
  const { resource } = operation;
  notes.push(...pictureHints(resource, context));
  if (!answered) return { kind: 'nothing', notes: notes };
  const part = operation.effect === 'update' ? changedPart(operation, call.body) : undefined;
  return { kind: 'record', resource, ...answered, part, notes: notes, done };
}

/** Returns the message: `Supplier “Coastal Fish” (42) created.` */
function doneWith(operation: Operation, ids: readonly string[], record: Row | undefined): Done {
  const { done, link, resource, params } = operation;
  const id = typeof record?.id === 'string' ? record.id : (ids[0] ?? '');
  const what = capitalized(named(resource.noun, id, record));
  const check = operationOf(resource, 'get') ? boh.account(`${resource.command} get`, id) : undefined;
  const other = link ? ` with ${apiOf(resource).nounOf(params[1]?.target ?? '')} ${ids[1]}` : '';
  return { message: `${what} ${done}${other}.`, check };
}

/** Names the pictures that show a record of the resource, on a terminal. */
function pictureHints(resource: Resource, { streams }: Context): Hint[] {
  if (!streams.isTerminal.err) return [];
  return picturesAfterWrite(resource).map(([hint, line]) => boh.hint`${hint}: ${boh.account(line)}`);
}

/** Returns the columns that identify the record, and the fields that were written. */
function changedPart({ resource, body: fields }: Operation, body: Row = {}): string[] {
  const written = fields.filter(({ name }) => Object.hasOwn(body, name)).map(({ shown }) => shown);
  const title = resource.title === undefined ? [] : [resource.title];
  return [...new Set(['id', ...title, ...written])];
}

/** Records that are read to warn of losses before a confirmation, at most. */
const maxRecordsRead = 20;

export async function saveSeveral(
  operation: Operation,
  targets: Targets,
  given: GivenChange,
  context: Context,
): Promise<Result> {
  const named = once(() => withoutNames(operation, given, context));
  const writes = targets.all.map((ids) => ({ call: { operation, ids, body: given.body } }));
  await guardedRecords(writes, { flags: given.guard, read: readerIn(context) }, context);
  return runOver(
    {
      operation,
      targets,
      body: given.body,
      callFor: async (ids) => callFor(operation, ids, { ...(await named()), isConfirmed: true }, context),
      warnings: async (all) => lossesOf(operation, all, await named(), context),
    },
    context,
  );
}

/** Looks names in the input up once, not for each record. */
async function withoutNames(
  operation: Operation,
  given: GivenChange,
  context: Context,
): Promise<GivenChange> {
  const session = await context.session();
  const call = await session.resolve({ operation, body: given.body });
  const changes = await resolveChanges(call, given.changes, session);
  return { ...given, body: call.body ?? {}, changes };
}

async function lossesOf(
  operation: Operation,
  targets: readonly Target[],
  { body }: GivenChange,
  context: Context,
): Promise<string[]> {
  const isReplacing = operation.body.some(({ name, field }) => isList(field) && Object.hasOwn(body, name));
  if (operation.effect !== 'update' || !isReplacing) return [];
  const lines: string[] = [];
  for (const ids of targets.slice(0, maxRecordsRead)) {
    const current = await currentOf({ operation, ids }, context);
    if (current) lines.push(...lossLines(operation, body, current));
  }
  return lines;
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The input of a write, the same for every record. */
export interface GivenChange {
  body: Row;
  /** Lists changed by difference. */
  changes: readonly ListChange[];
  /** Send all fields of the record, for services where an update replaces it. */
  isFull: boolean;
  /** True if the user has confirmed already. */
  isConfirmed?: boolean;
  /** The record as read for the form. */
  known?: Row | undefined;
  guard: GuardFlags;
}

async function callFor(
  operation: Operation,
  ids: readonly string[],
  given: GivenChange,
  context: Context,
): Promise<PreparedCall> {
  const { body, changes, isFull } = given;
  const isRead = isFull || changes.length > 0;
  const isAsked = !given.isConfirmed && asksFirst(operation, body, context);
  if (!isRead && !isAsked) return { call: { operation, ids, body } };
  const session = await context.session();
  if (!context.globals.dryRun) await session.approve({ operation, ids, body });
  const call = await session.resolve({ operation, ids, body });
  const resolved = await resolveChanges(call, changes, session);
  const current = isRead ? await session.current(call) : await currentOf(call, context);
  if (!current) return { call };
  if (isAsked) {
    await confirmLoss(context, operation, call.body ?? {}, current);
    await confirmClosing(context, operation, call.body ?? {}, current);
  }
  const others = isFull ? wholeBody(operation, current, Object.keys(body)) : {};
  const whole = { ...others, ...call.body, ...changedLists(resolved, current) };
  return { call: { ...call, body: whole }, known: current.record };
}

/**
 * Whether a person is asked before a list replaces another, or the lines of a record take effect.
 * A program goes on as it always has.
 */
function asksFirst({ effect, body: fields }: Operation, body: Row, { streams, globals }: Context): boolean {
  if (effect !== 'update' || !streams.interactive || globals.yes || globals.dryRun) return false;
  return fields.some(({ name, field }) => {
    const { when } = field.traits.previous?.difference ?? {};
    return (isList(field) && Object.hasOwn(body, name)) || (when !== undefined && Object.hasOwn(body, when));
  });
}

/**
 * Returns the current record. One that can't be read has no known values to lose; if it doesn't exist, the write
 * fails.
 */
async function currentOf(call: Call, context: Context): Promise<Current | undefined> {
  try {
    return await (await context.session()).current(call);
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return undefined;
    throw error;
  }
}

function readerIn(context: Context): (call: Call) => Promise<Row | undefined> {
  return async (call) => (await currentOf(call, context))?.record;
}

/**
 * Returns every field that an update accepts, with the values of the record. Fields that it doesn't show must be
 * given.
 */
function wholeBody(operation: Operation, { body, unknown }: Current, given: readonly string[]): Row {
  const missing = unknown.filter((name) => !given.includes(name));
  if (missing.length === 0) return body;
  const isSecret = (name: string) =>
    operation.body.some((entry) => entry.name === name && entry.field.traits.secret);
  const flags = missing.map((name) => (isSecret(name) ? `--ask ${name}` : `--${flagName(name)}`)).join(', ');
  throw usage(`--full can't send the whole record: the service doesn't show ${missing.join(', ')}.`, {
    hint: `Give ${missing.length === 1 ? 'it' : 'them'} as flags (${flags}), or omit --full to send only changes.`,
  });
}
