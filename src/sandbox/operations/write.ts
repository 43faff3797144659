/** Write operations on whole records: create, update, delete, restore. */

import { type BodyField, linkFields, nestedFields, type Operation } from '../../contract/operation.ts';
import { requireAllowedValues, requireFieldScopes } from '../access/access.ts';
import { writeMoment } from '../calendar.ts';
import type { Call } from '../context.ts';
import { emptyAnswer, type ServiceResponse } from '../http/message.ts';
import { notFound } from '../http/refusal.ts';
import { ruleOf } from '../rules/index.ts';
import { type Cell, type StoredRow, toCell } from '../store/cells.ts';
import type { LinkRelation, NewLink } from '../store/links.ts';
import { insertRow, removeRow, updateRow } from '../store/rows.ts';
import { columnOf, relationOf, type Table } from '../store/tables.ts';
import { bodyProblems, Messages } from '../validation/body.ts';
import { addStoredProblems } from '../validation/stored.ts';
import { activeRowInPath, answerRecord, isDeleted, rowInPath, rowOf } from './read.ts';
import { type Input, writeRelated } from './related.ts';

/** Creates a record. */
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
  return answerRecord(call, finish(call, id, undefined, input), 201);
}

/** Changes the fields that are sent. */
export function update(call: Call): ServiceResponse {
  const before = activeRowInPath(call);
  const input = readInput(call, before);
  const id = String(before.id);
  updateRow(call.database, call.table, id, { ...input.cells, updated_at: writeMoment(call.now) });
  return answerRecord(call, finish(call, id, before, input));
}

/** Deletes a record: sets `deleted_at`, or removes the row if the document has no such field. */
export function remove(call: Call): ServiceResponse {
  const { database, table, operation, grant } = call;
  const before = activeRowInPath(call);
  requireAllowedValues(operation, grant, before);
  const messages = new Messages();
  messages.addAll(ruleOf(table.name).refuseDelete?.(call, before) ?? {});
  messages.throwAny();
  const id = String(before.id);
  const moment = writeMoment(call.now);
  if (table.isSoftDeleted) updateRow(database, table, id, { deleted_at: moment, updated_at: moment });
  else removeRow(database, table, id);
  return emptyAnswer(call);
}

/** Restores a deleted record. */
export function restore(call: Call): ServiceResponse {
  const before = rowInPath(call);
  if (!isDeleted(before)) throw notFound();
  updateRow(call.database, call.table, String(before.id), {
    deleted_at: null,
    updated_at: writeMoment(call.now),
  });
  return emptyAnswer(call);
}

/** Writes the related data and applies the resource's rule. Returns the final row. */
function finish(call: Call, id: string, before: StoredRow | undefined, input: Input): StoredRow {
  writeRelated(call, id, input);
  ruleOf(call.table.name).follow?.(call, before, rowOf(call, id));
  return rowOf(call, id);
}

/** A part of a request's body. */
type Given = Readonly<Record<string, unknown>>;

/**
 * Validates a body and splits it into cells, links and parts. Reports everything that is wrong at once. `before` is
 * the record that an update changes.
 */
function readInput(call: Call, before?: StoredRow): Input {
  const { body, grant, table, variant } = call;
  const isReplaced = before !== undefined && variant['wire.put'] === 'replace';
  const operation = isReplaced ? requiringAll(call.operation) : call.operation;
  requireAllowedValues(operation, grant, before ?? {});
  requireAllowedValues(operation, grant, body);
  requireFieldScopes(operation.body, body, grant);
  const messages = bodyProblems(operation, body, before && { table, row: before });
  addStoredProblems(messages, call, before);
  const rule = ruleOf(operation.resource.name);
  const whole = isReplaced ? { ...emptyFields(call), ...body } : body;
  if (messages.isEmpty) messages.addAll(rule.refuse?.(call, { before, body: whole }) ?? {});
  messages.throwAny();
  const taken = operation.body.filter(({ field }) => !field.traits.ignored);
  return inputOf(table, taken, whole);
}

/** Where PUT replaces a record, it must send everything that a new one needs. */
function requiringAll(operation: Operation): Operation {
  const body = operation.body.map((entry) => ({
    ...entry,
    isRequired: entry.field.traits.required === true,
  }));
  return { ...operation, body };
}

/**
 * Returns what a replacing PUT does to fields that aren't sent: empties all except secrets and those that the token
 * can't write.
 */
function emptyFields({ operation, table, grant }: Call): Given {
  const own = operation.body.filter(({ field: { traits } }) => {
    const { secret, writeOnly, required, writeScope } = traits;
    return !(secret || writeOnly || required) && (!writeScope || grant.scopes.has(writeScope));
  });
  const entries = own.flatMap(({ name, shown }): [string, unknown][] => {
    const relation = relationOf(table, name);
    // No record may lose the record that it belongs to.
    if (relation) return relation.kind === 'children' ? [] : [[name, []]];
    const initial = columnOf(table, shown)?.initial ?? null;
    return [[name, initial === null ? null : initial === 1]];
  });
  return Object.fromEntries(entries);
}

function inputOf(table: Table, fields: readonly BodyField[], given: Given): Input {
  const cells: Record<string, Cell> = {};
  const input: Input = { cells, links: [], children: [], parts: [] };
  for (const { name, field } of fields) {
    if (!Object.hasOwn(given, name)) continue;
    const relation = relationOf(table, name);
    const list = () => (given[name] ?? []) as Given[];
    // A column has the name of the field in requests, such as `category_id`; `password` has no column.
    if (!relation) {
      if (table.columns.some((column) => column.name === name)) cells[name] = toCell(field, given[name]);
    } else if (relation.kind === 'links') {
      input.links.push({ relation, links: list().map((link) => newLink(relation, link)) });
    } else if (relation.kind === 'children') {
      input.children.push({ relation, ids: list().map(({ id }) => String(id)) });
    } else {
      const inner = nestedFields(field).filter((entry) => entry.name !== 'id');
      const parts = list().map((part) => ({ ...inputOf(relation.target, inner, part), id: idIn(part) }));
      input.parts.push({ relation, parts });
    }
  }
  return input;
}

function newLink({ field }: LinkRelation, link: Given): NewLink {
  const held = linkFields(field).filter(({ name }) => Object.hasOwn(link, name));
  const pivot = held.map(({ name, field }) => [name, toCell(field, link[name])] as const);
  return { id: String(link.id), pivot: Object.fromEntries(pivot) };
}

function idIn({ id }: Given): string | undefined {
  return id === undefined ? undefined : String(id);
}
