/** The call that writes what was given to one record. The record is read first where what is sent rests on what is there. */
import type { Call } from '../../client/request.ts';
import type { Row } from '../../client/shape.ts';
import { isList } from '../../contract/list-text.ts';
import type { Operation } from '../../contract/operation.ts';
import { flagName } from '../../contract/text.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { changedLists, type ListChange, resolveChanges } from '../../session/list-change.ts';
import type { Current } from '../../session/record-body.ts';
import type { PreparedCall } from './run-over.ts';

/** What was given, the same for every record that it is written to. */
export interface GivenChange {
  body: Row;
  /** Lists changed by difference. */
  changes: readonly ListChange[];
  /** Every other field as the record has it, for services where an update replaces the record. */
  isFull: boolean;
  /** Nobody is to be asked any more. */
  isConfirmed?: boolean;
  /** The record as it was read for the questions. */
  known?: Row | undefined;
}

export async function callFor(
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
  const resolved = await resolveChanges(call, changes, session.resolveAll);
  const current = isRead ? await session.current(call) : await currentOf(call, context);
  if (!current) return { call };
  if (isAsked) {
    const { confirmLoss } = await import('../../interaction/confirming/confirm-loss.ts');
    await confirmLoss(context, operation, call.body ?? {}, current);
    const { confirmClosing } = await import('../../interaction/confirming/confirm-closing.ts');
    await confirmClosing(context, operation, call.body ?? {}, current);
  }
  const others = isFull ? wholeBody(operation, current, Object.keys(body)) : {};
  const whole = { ...others, ...call.body, ...changedLists(resolved, current) };
  return { call: { ...call, body: whole }, known: current.record };
}

/**
 * Whether a person is asked before a list takes the place of another, or the lines of a record begin to count.
 * A program goes on as it always has.
 */
function asksFirst({ effect, body: fields }: Operation, body: Row, { streams, globals }: Context): boolean {
  if (effect !== 'update' || !streams.interactive || globals.yes || globals.dryRun) return false;
  return fields.some(({ name, field }) => {
    const { when } = field.traits.earlier?.difference ?? {};
    return (isList(field) && Object.hasOwn(body, name)) || (when !== undefined && Object.hasOwn(body, when));
  });
}

/** A record that can’t be read can’t be lost from, as far as anybody knows; that it isn’t there the write will tell. */
export async function currentOf(call: Call, context: Context): Promise<Current | undefined> {
  try {
    return await (await context.session()).current(call);
  } catch (error) {
    if (error instanceof Failure && error.category !== 'interrupted') return undefined;
    throw error;
  }
}

/** Every field that an update takes, as the record has it now. Those that it doesn’t show have to be given. */
function wholeBody(operation: Operation, { body, unknown }: Current, given: readonly string[]): Row {
  const missing = unknown.filter((name) => !given.includes(name));
  if (missing.length === 0) return body;
  const isSecret = (name: string) =>
    operation.body.some((entry) => entry.name === name && entry.field.traits.secret);
  const flags = missing.map((name) => (isSecret(name) ? `--ask ${name}` : `--${flagName(name)}`)).join(', ');
  throw usage(`--full can’t know what to send: the service doesn’t show ${missing.join(', ')}.`, {
    hint: `Give ${missing.length === 1 ? 'it' : 'them'} on the line (${flags}), or leave out --full to send only what changes.`,
  });
}
