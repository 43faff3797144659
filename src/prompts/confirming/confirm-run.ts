/** Asks on a terminal before records are deleted, restored or unlinked, or before several records are changed. */
import { formatHint } from '../../base/hint.ts';
import { subjectOf } from '../../client/client.ts';
import type { Row } from '../../client/shape.ts';
import type { Context, Globals } from '../../context/context.ts';
import { apiOf } from '../../contract/api.ts';
import { deletedFilter } from '../../contract/filter.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { capitalize } from '../../contract/wording.ts';
import { formatCommandLine } from '../../input/command-line.ts';
import { describeRecord, formatTargetCount } from '../../output/wording.ts';
import { consequenceOf } from '../../reference/operation-summary.ts';
import { isRefusedRead } from '../../session/outcome.ts';
import { linkTo, pivotOf } from '../../session/record-body.ts';
import type { Session } from '../../session/session.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { write } from '../../terminal/streams.ts';
import type { Target } from '../targets.ts';
import { askToContinue } from './confirm-action.ts';

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

/** The maximum number of records whose names are read. The others are listed by ID. */
const maxNamedRecords = 20;

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
  const ids = targets.slice(0, maxNamedRecords).map(([id = '']) => id);
  const records = await readRecordsById(session, operation, ids);
  return targets.map((target) => ({
    target,
    name: describeRecord(operation.resource.noun, target[0] ?? '', records.get(target[0] ?? '')),
  }));
}

/** Reads records, in one request if the list has an ID filter. Some services return deleted records only in lists. */
async function readRecordsById(
  session: Session,
  { resource, effect }: Operation,
  ids: readonly string[],
): Promise<Map<string, Row>> {
  const [list, get] = [operationOf(resource, 'list'), operationOf(resource, 'get')];
  const hasIds = resource.filters.some(({ name }) => name === 'id');
  const deletedOnlyFilter = deletedFilter(resource.filters);
  const isRestore = effect === 'restore';
  const records = new Map<string, Row>();
  const addRecord = (row: Row) => records.set(String(row.id), row);
  await ignoreReadRefusal(async () => {
    if (list && hasIds && (isRestore ? deletedOnlyFilter : ids.length > 1)) {
      const filters = {
        id: ids.join(','),
        ...(isRestore && deletedOnlyFilter && { [deletedOnlyFilter.name]: 'true' }),
      };
      for await (const row of session.list({ operation: list, query: { filters } }).rows()) addRecord(row);
    } else if (get) {
      for (const id of ids) addRecord((await session.get({ operation: get, ids: [id] })).record);
    }
  });
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
