/** Asks on a terminal before records are deleted, restored or unlinked, or before several are changed. */
import { hintText } from '../../base/hint.ts';
import { nameOf } from '../../client/client.ts';
import type { Row } from '../../client/shape.ts';
import type { Context, Globals } from '../../context/context.ts';
import { apiOf } from '../../contract/api.ts';
import { deletedFilter } from '../../contract/filter.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { capitalized } from '../../contract/wording.ts';
import { commandLine } from '../../input/command-line.ts';
import { countedTargets, named } from '../../output/wording.ts';
import { outlook } from '../../reference/operation-words.ts';
import { isReadRefused } from '../../session/outcome.ts';
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
): Promise<readonly Affected[]> {
  const { streams, globals, kept } = context;
  const affected = await affectedBy(await context.session(), operation, targets, globals);
  const [only] = affected;
  const action = capitalized(operation.verb.split('-')[0] ?? '');
  const isOne = affected.length === 1;
  const names = affected.map(({ name }) => `  ${cleanLine(name)}`);
  const prospect = hintText(outlook(operation) ?? '', streams.repeated);
  const lines = [
    ...(isOne ? [] : [`${action}:`, ...names]),
    ...(prospect === '' || kept.irreversible.has(prospect) ? [] : [prospect]),
    ...warnings.map(cleanLine),
  ];
  await write(streams.stderr, lines.map((line) => `${line}\n`).join(''));
  const what = isOne && only ? only.name : countedTargets(operation, affected.length);
  await askToContinue(`${action} ${what}?`, context);
  return affected;
}

/** A record that a run changes. */
export interface Affected {
  target: Target;
  /** `supplier "Fresh Farms" (42)`; without the name if it couldn't be read. */
  name: string;
  /** For an unlink: the command that links the records again with the same fields. */
  again?: string;
}

/** Records whose names are read; the others are shown by id. */
const maxNamed = 20;

/** Reads the names of the records; a record that can't be read is shown by id. */
async function affectedBy(
  session: Session,
  operation: Operation,
  targets: readonly Target[],
  globals: Globals,
): Promise<Affected[]> {
  if (operation.effect === 'unlink') {
    return Promise.all(targets.map((target) => affectedLink(session, operation, target, globals)));
  }
  if (operation.effect === 'link') {
    return targets.map((target) => ({ target, name: nameOf(operation, target) }));
  }
  const ids = targets.slice(0, maxNamed).map(([id = '']) => id);
  const records = await readRecords(session, operation, ids);
  return targets.map((target) => ({
    target,
    name: named(operation.resource.noun, target[0] ?? '', records.get(target[0] ?? '')),
  }));
}

/** Reads records, in one request if the list has a filter for ids. Some services return deleted records only there. */
async function readRecords(
  session: Session,
  { resource, effect }: Operation,
  ids: readonly string[],
): Promise<Map<string, Row>> {
  const [list, get] = [operationOf(resource, 'list'), operationOf(resource, 'get')];
  const hasIds = resource.filters.some(({ name }) => name === 'id');
  const deleted = deletedFilter(resource.filters);
  const isRestore = effect === 'restore';
  const found = new Map<string, Row>();
  const keep = (row: Row) => found.set(String(row.id), row);
  await bestEffort(async () => {
    if (list && hasIds && (isRestore ? deleted : ids.length > 1)) {
      const filters = { id: ids.join(','), ...(isRestore && deleted && { [deleted.name]: 'true' }) };
      for await (const row of session.list({ operation: list, query: { filters } }).rows()) keep(row);
    } else if (get) {
      for (const id of ids) keep((await session.get({ operation: get, ids: [id] })).record);
    }
  });
  return found;
}

async function affectedLink(
  session: Session,
  operation: Operation,
  target: Target,
  globals: Globals,
): Promise<Affected> {
  const { resource, params, inverse: set } = operation;
  const [id = '', other = ''] = target;
  const field = operation.link?.field ?? '';
  let record: Row | undefined;
  await bestEffort(async () => {
    const get = operationOf(resource, 'get');
    if (get) ({ record } = await session.get({ operation: get, ids: [id], query: { optional: [field] } }));
  });
  const link = linkTo(record, field, other);
  const whole = named(resource.noun, id, record);
  const part = named(apiOf(resource).nounOf(params[1]?.target ?? ''), other, link);
  const pivot = pivotOf(link);
  const body = Object.fromEntries(
    (set?.body ?? []).flatMap(({ name }) => (pivot[name] == null ? [] : [[name, pivot[name]]])),
  );
  const again = set && link && commandLine(globals, set, target, body);
  return { target, name: `${part} of ${whole}`, ...(again && { again }) };
}

/** Ignores a failure that says that the token may not read something. */
async function bestEffort(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isReadRefused(error)) throw error;
  }
}
