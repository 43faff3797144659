/**
 * Shows on a terminal what a write changes, and asks: before records are deleted, restored or unlinked, before several are
 * changed, and before an update closes a stock document or removes list entries.
 */

import { subjectOf } from '../../account/client/client.ts';
import { isRow, type Row } from '../../account/client/shape.ts';
import { removedValues } from '../../account/session/diff/lists.ts';
import { findReadableRecords } from '../../account/session/find-records.ts';
import { isRefusedRead } from '../../account/session/outcome.ts';
import { type CurrentRecord, linkTo, pivotOf } from '../../account/session/record-body.ts';
import type { Session } from '../../account/session/session.ts';
import { apiOf } from '../../api/contract/api.ts';
import { isListOrParts } from '../../api/contract/comma-list.ts';
import { deletedFilter } from '../../api/contract/filter.ts';
import { takesEffect } from '../../api/contract/irreversible.ts';
import { type BodyField, type Operation, operation as operationOf } from '../../api/contract/operation.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { consequenceOf } from '../../api/reference/operation-summary.ts';
import { formatHint } from '../../base/hint.ts';
import { shortenValue } from '../../base/short-value.ts';
import type { Context, Globals } from '../context/context.ts';
import { formatCommandLine } from '../input/command-line.ts';
import { describeRecord, formatTargetCount, inferTitle } from '../output/wording.ts';
import { cleanLine } from '../terminal/clean.ts';
import { write } from '../terminal/streams.ts';
import { addRecordNames, answerOf } from './answer.ts';
import { askToContinue } from './confirm.ts';
import { readEarlierLines, writeDifferences } from './earlier-lines.ts';
import type { Target } from './missing-input.ts';
import { labelOfField } from './steps.ts';

/** Shows the records and whether they can be restored, and asks. Throws if the answer is no. */
export async function confirmRun(
  targets: readonly Target[],
  operation: Operation,
  context: Context,
  warnings: readonly string[] = [],
): Promise<readonly AffectedRecord[]> {
  const { streams, globals, recordedWrites } = context;
  const affectedRecords = await readAffectedRecords(await context.session(), operation, targets, globals);
  const [onlyRecord] = affectedRecords;
  const action = capitalize(operation.verb.split('-')[0] ?? '');
  const isOne = affectedRecords.length === 1;
  const names = affectedRecords.map(({ name }) => `  ${cleanLine(name)}`);
  const consequence = formatHint(consequenceOf(operation) ?? '', streams.repeatedFlags);
  const lines = [
    ...(isOne ? [] : [`${action}:`, ...names]),
    ...(consequence === '' || recordedWrites.irreversible.has(consequence) ? [] : [consequence]),
    ...warnings.map(cleanLine),
  ];
  await write(streams.stderr, lines.map((line) => `${line}\n`).join(''));
  const target = isOne && onlyRecord ? onlyRecord.name : formatTargetCount(operation, affectedRecords.length);
  await askToContinue(`${action} ${target}?`, context);
  return affectedRecords;
}

/** A record that a run changes. */
export interface AffectedRecord {
  target: Target;
  /** The noun, name and ID: `supplier "Fresh Farms" (42)`. The name is omitted if it couldn't be read. */
  name: string;
  /** For an unlink: the command that links the records again with the same fields. */
  relinkCommand?: string;
}

/** The maximum number of records that are read one by one for their names. The others are listed by ID. */
const maxSingleReads = 20;

/** Reads the names of the records. A record that can't be read is listed by its ID. */
async function readAffectedRecords(
  session: Session,
  operation: Operation,
  targets: readonly Target[],
  globals: Globals,
): Promise<AffectedRecord[]> {
  if (operation.effect === 'unlink') {
    return Promise.all(targets.map((target) => readAffectedLink(session, operation, target, globals)));
  }
  if (operation.effect === 'link') {
    return targets.map((target) => ({ target, name: subjectOf(operation, target) }));
  }
  const ids = targets.map(([id = '']) => id);
  const records = await readRecordsById(session, operation, ids);
  return targets.map((target) => ({
    target,
    name: describeRecord(operation.resource.noun, target[0] ?? '', records.get(target[0] ?? '')),
  }));
}

/** Reads records from the list if it has an ID filter. Some services return deleted records only in lists. */
async function readRecordsById(
  session: Session,
  { resource, effect }: Operation,
  ids: readonly string[],
): Promise<Map<string, Row>> {
  const hasIds = resource.filters.some(({ name }) => name === 'id');
  const isRestore = effect === 'restore';
  if (resource.list && hasIds && (isRestore ? deletedFilter(resource.filters) : ids.length > 1))
    return findReadableRecords(session, resource, ids, { deletedOnly: isRestore });
  const get = operationOf(resource, 'get');
  const records = new Map<string, Row>();
  if (get) {
    await ignoreReadRefusal(async () => {
      for (const id of ids.slice(0, maxSingleReads))
        records.set(id, (await session.get({ operation: get, ids: [id] })).record);
    });
  }
  return records;
}

async function readAffectedLink(
  session: Session,
  operation: Operation,
  target: Target,
  globals: Globals,
): Promise<AffectedRecord> {
  const { resource, params, inverse: linkOperation } = operation;
  const [id = '', linkedId = ''] = target;
  const field = operation.link?.field ?? '';
  let record: Row | undefined;
  await ignoreReadRefusal(async () => {
    const get = operationOf(resource, 'get');
    if (get) ({ record } = await session.get({ operation: get, ids: [id], query: { optional: [field] } }));
  });
  const link = linkTo(record, field, linkedId);
  const recordName = describeRecord(resource.noun, id, record);
  const linkedName = describeRecord(apiOf(resource).nounOf(params[1]?.target ?? ''), linkedId, link);
  const pivot = pivotOf(link);
  const body = Object.fromEntries(
    (linkOperation?.body ?? []).flatMap(({ name }) => (pivot[name] == null ? [] : [[name, pivot[name]]])),
  );
  const relinkCommand = linkOperation && link && formatCommandLine(globals, linkOperation, target, body);
  return { target, name: `${linkedName} of ${recordName}`, ...(relinkCommand && { relinkCommand }) };
}

/** Runs `work`. Ignores a failure if the token may not read the record. */
async function ignoreReadRefusal(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isRefusedRead(error)) throw error;
  }
}

/**
 * Shows what a record does when it takes effect: the differences of its lines from the earlier record, or from the values
 * that they replace. `sentBody` has IDs instead of lookups. `current` is the record before an update.
 */
export async function showEffect(
  context: Context,
  operation: Operation,
  sentBody: Row,
  current?: CurrentRecord,
): Promise<void> {
  const merged = { ...current?.body, ...sentBody };
  const session = await context.session();
  for (const entry of operation.body) {
    const { previous, replaces } = entry.field.traits;
    if (!(previous?.difference || replaces) || !Array.isArray(merged[entry.name])) continue;
    const sentAnswers = new Map([
      [entry.name, answerOf(entry.field, merged[entry.name], current?.record[entry.responseName])],
    ]);
    const answer = (await addRecordNames(session, operation, sentAnswers)).get(entry.name);
    const relation = ({ responseName }: BodyField) => responseName === previous?.matchingRelation;
    const sharedId = merged[operation.body.find(relation)?.name ?? ''];
    const before =
      typeof sharedId === 'string'
        ? await readEarlierLines(context, operation, entry, { sharedId, recordId: current?.id })
        : undefined;
    if (answer) await writeDifferences(context, entry, answer, before);
  }
}

/** Shows the effect of a write, and asks before a record takes effect. Throws if the answer is no. */
export async function confirmEffect(
  context: Context,
  operation: Operation,
  ids: readonly string[],
  sentBody: Row,
  current?: CurrentRecord,
): Promise<void> {
  if (!takesEffect(operation, sentBody, current?.record)) return;
  await showEffect(context, operation, sentBody, current);
  const { effect, resource } = operation;
  const name = current && describeRecord(resource.noun, current.id, current.record);
  const action = capitalize(operation.verb);
  const question = effect === 'create' ? `Create this ${resource.noun}?` : `Send this update of ${name}?`;
  await askToContinue(
    name || effect === 'create' ? question : `${action} ${subjectOf(operation, ids)}?`,
    context,
  );
}

/** The maximum number of removed entries that are listed. The others are counted. */
const maxNamedEntries = 20;

/** Shows the entries that an update removes from lists, and asks. Throws if the answer is no. `sentBody` has IDs, no lookups. */
export async function confirmRemovals(
  { streams }: Context,
  operation: Operation,
  sentBody: Row,
  current: CurrentRecord,
): Promise<void> {
  const lines = describeRemovals(operation, sentBody, current);
  if (lines.length === 0) return;
  await write(streams.stderr, lines.map((line) => `${line}\n`).join(''));
  await askToContinue('Send this update?', { streams });
}

/** Returns terminal lines that list the entries that an update removes from lists, or [] if it removes none. */
export function describeRemovals(
  { resource, body }: Operation,
  sentBody: Row,
  current: CurrentRecord,
): string[] {
  const lines = body
    .filter(({ name, field }) => isListOrParts(field) && Object.hasOwn(sentBody, name))
    .flatMap((entry) => {
      const { name, responseName } = entry;
      const removedEntries = removedValues(current.body[name], sentBody[name]);
      return removedEntries.length === 0
        ? []
        : [
            `  ${labelOfField(entry)}: ${formatEntryNames(removedEntries, current.record[responseName])}`,
            ...(entry.field.kind === 'objects' ? ['  An undo would create them again with new IDs.'] : []),
          ];
    });
  const recordName = cleanLine(describeRecord(resource.noun, current.id, current.record));
  return lines.length === 0 ? [] : [`This removes from ${recordName}:`, ...lines];
}

/** Formats removed entries with their titles from the record: `"Red" (5), "Blue" (7) and 3 others`. */
function formatEntryNames(removedEntries: readonly unknown[], currentValue: unknown): string {
  const rows = Array.isArray(currentValue) ? currentValue.filter(isRow) : [];
  const names = removedEntries.slice(0, maxNamedEntries).map((value) => {
    const id = String(isRow(value) ? value.id : value);
    const row = rows.find((candidate) => String(candidate.id) === id);
    const title = shortenValue(row ? inferTitle(row) : id);
    return cleanLine(title === id ? id : `"${title}" (${id})`);
  });
  const otherCount = removedEntries.length - names.length;
  return names.join(', ') + (otherCount > 0 ? ` and ${otherCount} others` : '');
}
