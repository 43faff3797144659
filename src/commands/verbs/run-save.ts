/** A verb with a body that is run: its input read, asked for where it is missing, and sent. */

import type { Command } from 'commander';
import type { Row } from '../../client/shape.ts';
import { bodyProblems } from '../../contract/body-problems.ts';
import type { Operation } from '../../contract/operation.ts';
import { type FieldMessages, usage, violations } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { canAsk, completeIds, takesSeveral } from '../../interaction/input/given-ids.ts';
import { missingFields, missingIds } from '../../interaction/input/missing-input.ts';
import { type DataFlags, type ReadInput, readInput } from '../../interaction/input/read-input.ts';
import { namedTargets, readsIds, type Targets } from '../../interaction/input/targets.ts';
import { presentedInView } from '../../interaction/output/present.ts';
import type { Result } from '../../interaction/output/result.ts';
import { refuseLayout, type ViewFlags } from '../../interaction/output/view-flags.ts';
import { askSecrets } from '../../interaction/prompts/ask-secrets.ts';
import { givenValues } from '../flags/field-flags.ts';
import { type FindingOptions, type KeyFlags, readKeyFlags } from '../flags/key-options.ts';
import { type ReadChanges, readListChanges } from '../flags/read-list-changes.ts';
import type { WhereFlags } from '../flags/where-options.ts';
import { saveOne } from './save-one.ts';
import { saveSeveral } from './save-several.ts';

/** As typed. */
interface SaveFlags extends ViewFlags, DataFlags, KeyFlags, WhereFlags {
  clear?: string[];
  ask?: string[];
  full?: boolean;
  edit?: boolean;
  sheet?: boolean;
  ifMissing?: boolean;
}

export function runSave(command: Command, operation: Operation, context: Context): Promise<void> {
  const { edit, sheet } = command.opts<SaveFlags>();
  return presentedInView(context, operation.resource, command.opts<SaveFlags>(), () =>
    edit && !sheet ? editOne(command, operation, context) : save(command, operation, context),
  );
}

/** The key is settled before anybody is asked for fields. Undefined without --if-missing. */
async function findingOf(
  { resource }: Operation,
  { ifMissing, key, onDeleted, wait, where }: SaveFlags,
): Promise<FindingOptions | undefined> {
  if (!ifMissing && (key !== undefined || onDeleted !== undefined)) {
    throw usage('--key and --on-deleted go with --if-missing.');
  }
  if (!ifMissing && !where && wait === false) throw usage('--no-wait goes with --if-missing or --where.');
  if (!ifMissing) return undefined;
  const finding = readKeyFlags({
    ...(key !== undefined && { key }),
    ...(onDeleted !== undefined && { onDeleted }),
  });
  const { keyOf } = await import('../../session/find-by-key.ts');
  keyOf(resource, finding.key);
  return finding;
}

async function editOne(command: Command, operation: Operation, context: Context): Promise<Result> {
  if (operation.effect !== 'update')
    throw usage('--edit goes with --sheet: a new record has nothing to edit.');
  const { data, encoding, clear = [], ask = [], full } = command.opts<SaveFlags>();
  const given = givenValues(command, namesOf(operation));
  const { changes } = readListChanges(command, operation, []);
  const isGiven = given.length > 0 || data !== undefined || encoding !== undefined || full;
  if (isGiven || changes.length > 0 || clear.length > 0 || ask.length > 0) {
    throw usage('--edit takes its input from your editor alone: leave out all other fields.');
  }
  if (command.opts<SaveFlags>().where || command.args.length > 1 || readsIds(command.args)) {
    throw usage('--edit opens one record.');
  }
  const { editRecord } = await import('../../interaction/editing/edit-record.ts');
  return editRecord(context, operation, command.args);
}

async function save(command: Command, operation: Operation, context: Context): Promise<Result> {
  const flags = command.opts<SaveFlags>();
  const finding = await findingOf(operation, flags);
  const several = flags.where ? undefined : await severalTargets(command, operation, context);
  if (flags.sheet && (flags.where || several)) throw usage('--sheet is filled in for one record.');
  const given = givenValues(command, namesOf(operation));
  const read = await readInput(
    operation,
    { ...flags, clear: flags.clear ?? [], flags: given },
    context.streams,
  );
  const { changes, problems } = readListChanges(command, operation, Object.keys(read.body));
  const all = { ...read, changes, problems: { ...read.problems, ...problems } };
  if (flags.where) return saveWhere(command, operation, all, context);
  const ids = several ? (several.all[0] ?? command.args) : command.args;
  const isAsked = await asksForMore(operation, ids, all, flags, context);
  const secrets = await askSecrets(operation, flags.ask ?? [], context);
  const body = { ...read.body, ...secrets };
  const change = { body, changes, isFull: flags.full ?? false };
  const send = async (input: Filled) => {
    if (finding) {
      const { upserted } = await import('./run-upsert.ts');
      const { wait } = flags;
      return upserted(context, { ...finding, operation, body: input.body, ifPresent: 'leave', wait });
    }
    const given = { ...change, body: input.body, known: input.known };
    if (several) return saveSeveral(operation, several, given, context);
    return saveOne(operation, input.ids, { ...given, isConfirmed: isAsked }, context);
  };
  if (isAsked) {
    const { fillForm } = await import('../../interaction/prompts/fill-form.ts');
    return fillForm(
      context,
      operation,
      {
        ids,
        body,
        count: several?.all.length,
        sheet: flags.sheet ? (flags.edit ? 'editor' : 'table') : undefined,
      },
      send,
    );
  }
  return send({ ids: several ? ids : await completeIds(context, operation, ids), body });
}

interface Filled {
  ids: readonly string[];
  body: Row;
  known?: Row | undefined;
}

/** Of what was given, all that can be said of many records at once. */
async function saveWhere(
  command: Command,
  operation: Operation,
  { body, problems, changes }: ReadInput & ReadChanges,
  context: Context,
): Promise<Result> {
  const flags = command.opts<SaveFlags>();
  if (flags.full || flags.ask?.length)
    throw usage('--full and --ask are for records one by one: leave out --where.');
  refuseLayout(flags, 'Of several records the output tells what became of each');
  if (Object.keys(problems).length > 0) throw violations(`The input of ${operation.command}`, problems);
  const { runWhere } = await import('../bulk/where.ts');
  return runWhere({ operation, args: command.args, flags, body, changes }, context);
}

/** Undefined where the line names one record, or none yet: whoever can be asked for it will be. */
async function severalTargets(
  command: Command,
  operation: Operation,
  context: Context,
): Promise<Targets | undefined> {
  const { args } = command;
  const count = operation.params.length;
  if (!takesSeveral(operation) || args.length < count || (args.length === count && !readsIds(args))) {
    return undefined;
  }
  const flags = command.opts<SaveFlags>();
  refuseLayout(flags, 'Of several records the output tells what became of each');
  if (flags.data === '-' && readsIds(args)) {
    throw usage('Standard input can’t be both the ids and --data.');
  }
  return namedTargets(context, operation, args);
}

/** Whether a form is to ask for what is missing; where nobody can answer, one failure tells everything that is wrong. */
async function asksForMore(
  operation: Operation,
  ids: readonly string[],
  { body, problems, changes }: ReadInput & ReadChanges,
  { full, ask = [], sheet }: SaveFlags,
  context: Context,
): Promise<boolean> {
  const lacking = missingIds(operation, ids);
  const isEmpty = Object.keys(body).length === 0 && ask.length === 0 && changes.length === 0 && !full;
  const isLacking = Object.keys(lacking).length > 0 || isEmpty || missingFields(operation, body).length > 0;
  if (sheet && !canAsk(context)) throw usage('--sheet is filled in at a terminal, and there is none.');
  if ((isLacking || sheet) && Object.keys(problems).length === 0 && canAsk(context)) {
    // A form would ask for more than lists that are only to be changed.
    return changes.length === 0;
  }
  const added = Object.fromEntries(changes.map(({ entry: { name }, add }) => [name, add]));
  const given = { ...body, ...added };
  const wrong = { ...lacking, ...(await contractProblems(operation, given, context)), ...problems };
  if (Object.keys(wrong).length === 0) return false;
  const { command } = operation.resource;
  throw violations(
    `The input of ${command} ${operation.verb}`,
    wrong,
    `See: boh ${command} ${operation.verb} --help`,
  );
}

async function contractProblems(
  operation: Operation,
  body: Row,
  { globals }: Context,
): Promise<FieldMessages> {
  if (globals.unchecked) return {};
  return bodyProblems(operation, body);
}

function namesOf({ body }: Operation): string[] {
  return body.map(({ name }) => name);
}
