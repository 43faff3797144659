/** Writing whole records: create, update, delete, restore. */

import { type BodyField, linkFields, nestedFields, type Operation } from '../../contract/operation.ts';
import { demandFieldScopes, demandUnlimited } from '../access/access.ts';
import { writeMoment } from '../calendar.ts';
import type { Call } from '../call.ts';
import { emptyAnswer, type ServiceResponse } from '../http/message.ts';
import { notFound } from '../http/refusal.ts';
import { ruleOf } from '../rules/index.ts';
import { type Cell, type StoredRow, toCell } from '../store/cells.ts';
import type { LinkRelation, NewLink } from '../store/links.ts';
import { insertRow, removeRow, updateRow } from '../store/rows.ts';
import { columnOf, relationOf, type Table } from '../store/tables.ts';
import { bodyProblems, Messages } from '../validation/body.ts';
import { addStoredProblems } from '../validation/stored.ts';
import { activeNamed, answerRecord, isDeleted, named, rowOf } from './read.ts';
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

/** A request's body on its way into the store: allowed, checked, and split into cells and what stands beside them. */
type Given = Readonly<Record<string, unknown>>;

/** Refuses everything that is wrong at once. `before` is the record that an update changes. */
function readInput(call: Call, before?: StoredRow): Input {
  const { body, grant, table, variant } = call;
  const isReplaced = before !== undefined && variant['wire.put'] === 'replace';
  const operation = isReplaced ? demandingAll(call.operation) : call.operation;
  demandUnlimited(operation, grant, before ?? {});
  demandUnlimited(operation, grant, body);
  demandFieldScopes(operation.body, body, grant);
  const messages = bodyProblems(operation, body, before && { table, row: before });
  addStoredProblems(messages, call, before);
  const rule = ruleOf(operation.resource.name);
  const whole = isReplaced ? { ...emptied(call), ...body } : body;
  if (messages.isEmpty) messages.addAll(rule.refuse?.(call, { before, body: whole }) ?? {});
  messages.throwAny();
  const taken = operation.body.filter(({ field }) => !field.traits.leftAside);
  return inputOf(table, taken, whole);
}

/** Where PUT replaces a record, it has to be given what a new one couldn't do without. */
function demandingAll(operation: Operation): Operation {
  const body = operation.body.map((entry) => ({
    ...entry,
    isRequired: entry.field.traits.required === true,
  }));
  return { ...operation, body };
}

/** What PUT does to the fields that it isn't given, where it replaces: all but secrets, and what the token can't write. */
function emptied({ operation, table, grant }: Call): Given {
  const own = operation.body.filter(({ field: { traits } }) => {
    const { secret, writeOnly, required, writeScope } = traits;
    return !(secret || writeOnly || required) && (!writeScope || grant.scopes.has(writeScope));
  });
  const entries = own.flatMap(({ name, shown }): [string, unknown][] => {
    const relation = relationOf(table, name);
    // Nothing is left without what it belongs to.
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
    // A column is called what requests call its field, `category_id` included; `password` has none.
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
