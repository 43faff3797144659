/** Writing whole records: create, update, delete, restore. */
import { demandUnlimited } from '../access/access.ts';
import { writeMoment } from '../business/calendar.ts';
import type { Call } from '../call.ts';
import { emptyAnswer, type ServiceResponse } from '../http/message.ts';
import { notFound } from '../http/refusal.ts';
import { newId } from '../ids.ts';
import { replaceLinks } from '../store/links.ts';
import { type Cells, insertRow, removeRow, updateRow } from '../store/rows.ts';
import type { Table } from '../store/tables.ts';
import { activeNamed, isDeleted, named } from './find.ts';
import { type Input, readInput } from './input.ts';
import { answerRecord } from './read.ts';

export function create(call: Call): ServiceResponse {
  const { database, table } = call;
  const input = readInput(call);
  const id = newId();
  const moment = writeMoment(call.now);
  insertRow(database, table, {
    ...startingCells(table),
    ...input.cells,
    id,
    created_at: moment,
    updated_at: moment,
  });
  writeLinks(call, id, input);
  return answerRecord(call, named({ ...call, ids: [id] }), 201);
}

/** Changes what is sent and leaves the rest. */
export function update(call: Call): ServiceResponse {
  const before = activeNamed(call);
  const input = readInput(call, before);
  const id = String(before.id);
  updateRow(call.database, call.table, id, { ...input.cells, updated_at: writeMoment(call.now) });
  writeLinks(call, id, input);
  return answerRecord(call, named(call));
}

/** Marks the record as deleted, or removes it where the document gives it no such mark. */
export function remove(call: Call): ServiceResponse {
  const { database, table, operation, grant } = call;
  const before = activeNamed(call);
  demandUnlimited(operation, grant, before);
  const id = String(before.id);
  const moment = writeMoment(call.now);
  if (table.isSoftDeleted) updateRow(database, table, id, { deleted_at: moment, updated_at: moment });
  else removeRow(database, table, id);
  return emptyAnswer();
}

export function restore(call: Call): ServiceResponse {
  const before = named(call);
  if (!isDeleted(before)) throw notFound();
  updateRow(call.database, call.table, String(before.id), {
    deleted_at: null,
    updated_at: writeMoment(call.now),
  });
  return emptyAnswer();
}

/** Switches are off to begin with, but for the one that says whether a record is in use. */
function startingCells({ columns }: Table): Cells {
  const switches = columns.filter(({ field }) => field.kind === 'boolean');
  return Object.fromEntries(switches.map(({ name }) => [name, name === 'is_active' ? 1 : 0]));
}

function writeLinks({ database }: Call, id: string, { links }: Input): void {
  for (const { relation, links: wanted } of links) replaceLinks(database, relation, id, wanted);
}
