/** Writing whole records: create, update, delete, restore. */
import { demandUnlimited } from '../access/access.ts';
import { writeMoment } from '../calendar.ts';
import type { Call } from '../call.ts';
import { emptyAnswer, type ServiceResponse } from '../http/message.ts';
import { notFound } from '../http/refusal.ts';
import { ruleOf } from '../rules/index.ts';
import type { StoredRow } from '../store/cells.ts';
import { insertRow, removeRow, updateRow } from '../store/rows.ts';
import { Messages } from '../validation/body.ts';
import { activeNamed, isDeleted, named, rowOf } from './find.ts';
import { readInput } from './input.ts';
import { answerRecord } from './read.ts';
import { type Input, writeRelated } from './related.ts';

export function create(call: Call): ServiceResponse {
  const { database, table } = call;
  const input = readInput(call);
  const id = call.newId(table.name);
  const moment = writeMoment(call.now);
  insertRow(database, table, {
    ...input.cells,
    ...ruleOf(table.name).fill?.(call, input.cells),
    id,
    created_at: moment,
    updated_at: moment,
  });
  return answerRecord(call, finished(call, id, undefined, input), 201);
}

/** Changes what is sent and leaves the rest. */
export function update(call: Call): ServiceResponse {
  const before = activeNamed(call);
  const input = readInput(call, before);
  const id = String(before.id);
  updateRow(call.database, call.table, id, { ...input.cells, updated_at: writeMoment(call.now) });
  return answerRecord(call, finished(call, id, before, input));
}

/** Marks the record as deleted, or removes it where the document gives it no such mark. */
export function remove(call: Call): ServiceResponse {
  const { database, table, operation, grant } = call;
  const before = activeNamed(call);
  demandUnlimited(operation, grant, before);
  const messages = new Messages();
  messages.addAll(ruleOf(table.name).refuseDelete?.(call, before) ?? {});
  messages.throwAny();
  const id = String(before.id);
  const moment = writeMoment(call.now);
  if (table.isSoftDeleted) updateRow(database, table, id, { deleted_at: moment, updated_at: moment });
  else removeRow(database, table, id);
  return emptyAnswer(call);
}

export function restore(call: Call): ServiceResponse {
  const before = named(call);
  if (!isDeleted(before)) throw notFound();
  updateRow(call.database, call.table, String(before.id), {
    deleted_at: null,
    updated_at: writeMoment(call.now),
  });
  return emptyAnswer(call);
}

/** Writes what stands beside the row and lets the resource's rule act; answers the row as it then is. */
function finished(call: Call, id: string, before: StoredRow | undefined, input: Input): StoredRow {
  writeRelated(call, id, input);
  ruleOf(call.table.name).follow?.(call, before, rowOf(call, id));
  return rowOf(call, id);
}
