/** The records that a delete, a restore or an unlink is about, by name, for a person to confirm. */

import { nameOf } from '../../client/client.ts';
import type { Row } from '../../client/shape.ts';
import { apiOf } from '../../contract/api.ts';
import { deletedToo } from '../../contract/filter.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { linkTo, pivotOf } from '../../session/link.ts';
import { isReadRefused } from '../../session/outcome.ts';
import type { Session } from '../../session/session.ts';
import type { Globals } from '../globals.ts';
import { commandLine } from '../input/command-line.ts';
import type { Target } from '../input/targets.ts';
import { named } from '../output/wording.ts';

export interface Affected {
  target: Target;
  /** `supplier "Fresh Farms" (42)`; without the name where it could not be read. */
  name: string;
  /** For an unlink: the command that sets the link again, with what it held. */
  again?: string;
}

/** As many are named as a person reads before answering. */
const mostNamed = 20;

/** Reads what it can: a record that can't be read is known by its id. */
export async function affectedBy(
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
  const ids = targets.slice(0, mostNamed).map(([id = '']) => id);
  const records = await readRecords(session, operation, ids);
  return targets.map((target) => ({
    target,
    name: named(operation.resource.noun, target[0] ?? '', records.get(target[0] ?? '')),
  }));
}

/** One request where the list can be asked for ids; deleted records are found in no other way at some services. */
async function readRecords(
  session: Session,
  { resource, effect }: Operation,
  ids: readonly string[],
): Promise<Map<string, Row>> {
  const [list, get] = [operationOf(resource, 'list'), operationOf(resource, 'get')];
  const hasIds = resource.filters.some(({ name }) => name === 'id');
  const deleted = deletedToo(resource.filters);
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

/** What the token may not read is shown by its id. */
async function bestEffort(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isReadRefused(error)) throw error;
  }
}
