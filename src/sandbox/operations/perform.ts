/** Performs operations: dispatches them by their effect, and implements links, redeeming and whoami. */
import type { Fields } from '../../api/contract/field.ts';
import {
  type BodyField,
  type Effect,
  linkFields,
  nestedFields,
  type Operation,
} from '../../api/contract/operation.ts';
import type { Cell, StoredRow } from '../../base/storage/database.ts';
import { quoteName } from '../../base/storage/quote-name.ts';
import { requireAllowedValues, requireFieldScopes } from '../access/access.ts';
import { formatDay, formatTimestamp } from '../calendar.ts';
import type { Context, OperationCall } from '../context.ts';
import {
  emptyResponse,
  jsonResponse,
  notFound,
  type ServiceResponse,
  unauthenticated,
} from '../http/message.ts';
import { businessSettings } from '../http/router.ts';
import { type Cells, toCell } from '../kinds.ts';
import { demoClient } from '../oauth/clients.ts';
import { apiRecordOf, noRelations } from '../records/records.ts';
import { ruleOf } from '../rules/index.ts';
import {
  findRow,
  insertRow,
  isObject,
  type LinkRelation,
  type NewLink,
  readStoredValue,
  removeLink,
  removeRow,
  replaceChildren,
  replaceLinks,
  setLink,
  updateRow,
} from '../store/rows.ts';
import { columnOf, positionColumn, type Relation, relationOf, type Table } from '../store/tables.ts';
import { bodyProblems, Messages } from '../validation/body.ts';
import { addStoredProblems, isActive } from '../validation/stored.ts';
import {
  activeRowInPath,
  existingRow,
  get,
  includeOf,
  isDeleted,
  list,
  recordEnvelope,
  recordResponse,
  rowInPath,
} from './read.ts';

const effects: Readonly<Record<Effect, (call: OperationCall) => ServiceResponse>> = {
  list,
  get,
  create,
  update,
  delete: remove,
  restore,
  link,
  unlink,
  act: redeem,
};

/** Performs an operation and returns its response. Throws an `HttpError` if the request is refused. */
export function perform(call: OperationCall): ServiceResponse {
  if (call.operation.verb === businessSettings) return settingsResponse(call);
  return call.operation.resource.singleton ? whoamiResponse(call) : effects[call.operation.effect](call);
}

/** Returns the settings of the business that integrations need, if the deployment has them. */
function settingsResponse({ variant }: OperationCall): ServiceResponse {
  if (variant['wire.business_settings'] === 'absent') throw notFound();
  const settings = {
    business_currency: 'SAR',
    business_timezone: 'Asia/Riyadh',
    tax_inclusive_pricing: true,
  };
  return jsonResponse(200, recordEnvelope(settings, variant));
}

/** Adds a link, or changes its data. */
function link(call: OperationCall): ServiceResponse {
  const { database, operation, body } = call;
  const { id, otherId, relation } = linkEnds(call);
  if (!isActive(database, relation.target, otherId)) throw notFound();
  const messages = bodyProblems(operation, body, call.variant);
  messages.addAll(ruleOf(call.table.name).linkProblems?.(call, relation.fieldName, id, otherId) ?? {});
  messages.throwIfAny();
  const sentFields = operation.body.filter(({ name }) => Object.hasOwn(body, name));
  const pivot = Object.fromEntries(sentFields.map(({ name, field }) => [name, toCell(field, body[name])]));
  setLink(database, relation, id, { id: otherId, pivot });
  touchBothRecords(call, id, relation, otherId);
  return recordResponse(call, rowInPath(call));
}

function unlink(call: OperationCall): ServiceResponse {
  const { id, otherId, relation } = linkEnds(call);
  if (!removeLink(call.database, relation, id, otherId)) throw notFound();
  touchBothRecords(call, id, relation, otherId);
  return emptyResponse(call);
}

function linkEnds(call: OperationCall): { id: string; otherId: string; relation: LinkRelation } {
  const id = String(activeRowInPath(call).id);
  const relation = relationOf(call.table, call.operation.link?.field ?? '');
  if (relation?.kind !== 'links') throw new Error(`${call.operation.verb} has no link table`);
  return { id, otherId: call.ids[1] ?? '', relation };
}

function touchBothRecords(call: OperationCall, id: string, relation: LinkRelation, otherId: string): void {
  updateRow(call.database, call.table, id, { updated_at: formatTimestamp(call.now) });
  touchLinkedRecords(call, relation, [otherId]);
}

/**
 * Redeems a reward in an order of its customer, once, until its last valid day. A repeated request with the same order
 * gets the same response, because a GET may be repeated.
 */
function redeem(call: OperationCall): ServiceResponse {
  const reward = activeRowInPath(call);
  const { order_id } = call.body;
  const messages = bodyProblems(call.operation, call.body, call.variant);
  messages.throwIfAny();
  const problem = order_id === reward.order_id ? undefined : redeemProblem(call, reward, String(order_id));
  if (problem) messages.add('order_id', problem);
  messages.throwIfAny();
  if (order_id !== reward.order_id) {
    updateRow(call.database, call.table, String(reward.id), {
      order_id: String(order_id),
      updated_at: formatTimestamp(call.now),
    });
  }
  return recordResponse(call, rowInPath(call));
}

function redeemProblem(
  { database, tables, now }: OperationCall,
  reward: StoredRow,
  orderId: string,
): string | undefined {
  const order = findRow(database, tables.get('orders'), orderId);
  if (!order) return "refers to a record that doesn't exist";
  if (reward.order_id !== null) return "can't be set: the reward has been used in another order";
  if (order.customer_id !== reward.customer_id) return 'refers to an order of another customer';
  return String(reward.valid_to) < formatDay(now) ? "can't be set: the reward is no longer valid" : undefined;
}

/** The relations that `whoami` includes in the user. */
const whoamiRelations = new Map([
  ['branches', noRelations],
  ['roles', noRelations],
]);

function whoamiResponse(call: OperationCall): ServiceResponse {
  const { database, tables, grant, variant, table, operation } = call;
  includeOf(call);
  const row = findRow(database, table, grant.userId);
  if (!row) throw unauthenticated();
  const user = apiRecordOf({ database, tables, grant, variant, include: whoamiRelations }, table, row);
  const account = {
    oauth_client: { id: demoClient.id, name: demoClient.name },
    user: pickFields(operation.resource.fields.user?.traits.fields ?? {}, {
      ...user,
      last_console_login_at: user.last_login_at,
    }),
    device: null,
    is_owner: user.is_owner,
    scopes: [...grant.scopes],
    business: readStoredValue(database, 'business', isObject),
  };
  return jsonResponse(200, recordEnvelope(account, variant));
}

/** Returns a record with only these fields; a missing field becomes null. */
function pickFields(fields: Fields, record: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, record[name] ?? null]));
}

function create(call: OperationCall): ServiceResponse {
  const { database, table } = call;
  const input = validateInput(call);
  const key = call.operation.resource.key.map((name) => call.body[name]).find((value) => value != null);
  const id = call.newId(table.name, key === undefined ? undefined : String(key));
  const timestamp = formatTimestamp(call.now);
  insertRow(database, table, {
    ...input.cells,
    ...ruleOf(table.name).initialCells?.(call, input.cells),
    id,
    created_at: timestamp,
    updated_at: timestamp,
  });
  return recordResponse(call, finishWrite(call, id, undefined, input), 201);
}

/** Changes the sent fields of a record. */
function update(call: OperationCall): ServiceResponse {
  const before = activeRowInPath(call);
  const input = validateInput(call, before);
  const id = String(before.id);
  updateRow(call.database, call.table, id, { ...input.cells, updated_at: formatTimestamp(call.now) });
  return recordResponse(call, finishWrite(call, id, before, input));
}

/** Deletes a record: sets `deleted_at`, or removes the row if the resource doesn't have this field. */
function remove(call: OperationCall): ServiceResponse {
  const { database, table, operation, grant } = call;
  const before = activeRowInPath(call);
  requireAllowedValues(operation, grant, before);
  const messages = new Messages();
  messages.addAll(ruleOf(table.name).deleteProblems?.(call, before) ?? {});
  messages.throwIfAny();
  const id = String(before.id);
  const timestamp = formatTimestamp(call.now);
  if (table.isSoftDeleted) updateRow(database, table, id, { deleted_at: timestamp, updated_at: timestamp });
  else removeRow(database, table, id);
  return emptyResponse(call);
}

/** Restores a deleted record. */
function restore(call: OperationCall): ServiceResponse {
  const before = rowInPath(call);
  if (!isDeleted(before)) throw notFound();
  updateRow(call.database, call.table, String(before.id), {
    deleted_at: null,
    updated_at: formatTimestamp(call.now),
  });
  return emptyResponse(call);
}

/** Writes the related data and applies the resource's rule. Returns the final row. */
function finishWrite(
  call: OperationCall,
  id: string,
  before: StoredRow | undefined,
  input: RecordInput,
): StoredRow {
  writeRelated(call, id, input);
  ruleOf(call.table.name).applyEffects?.(call, before, existingRow(call, id));
  return existingRow(call, id);
}

/** The body of a request, or an object in it. */
type BodyValues = Readonly<Record<string, unknown>>;

/**
 * Validates a body and splits it into cells, links and parts. Reports all problems at once. `before` is the record that
 * an update changes.
 */
function validateInput(call: OperationCall, before?: StoredRow): RecordInput {
  const { body, grant, table, variant } = call;
  const isReplaced = before !== undefined && variant['wire.put'] === 'replace';
  const operation = isReplaced ? withAllRequired(call.operation) : call.operation;
  requireAllowedValues(operation, grant, before ?? {});
  requireAllowedValues(operation, grant, body);
  requireFieldScopes(operation.body, body, grant);
  const messages = bodyProblems(operation, body, variant, before && { table, row: before });
  addStoredProblems(messages, call, before);
  const rule = ruleOf(operation.resource.name);
  const values = isReplaced ? { ...emptyFields(call), ...body } : body;
  if (messages.isEmpty) messages.addAll(rule.changeProblems?.(call, { before, body: values }) ?? {});
  messages.throwIfAny();
  const acceptedFields = operation.body.filter(({ field }) => !field.traits.ignored);
  return inputOf(table, acceptedFields, values);
}

/** Returns the operation with the required fields of a new record, for a PUT that replaces a record. */
function withAllRequired(operation: Operation): Operation {
  const body = operation.body.map((entry) => ({
    ...entry,
    isRequired: entry.field.traits.required === true,
  }));
  return { ...operation, body };
}

/**
 * Returns empty values for the fields that a replacing PUT doesn't send. Secrets and fields that the token can't write
 * are kept.
 */
function emptyFields({ operation, table, grant }: OperationCall): BodyValues {
  const replacedFields = operation.body.filter(({ field: { traits } }) => {
    const { secret, writeOnly, required, writeScope } = traits;
    return !(secret || writeOnly || required) && (!writeScope || grant.scopes.has(writeScope));
  });
  const entries = replacedFields.flatMap(({ name, responseName }): [string, unknown][] => {
    const relation = relationOf(table, name);
    // Children aren't replaced: each must keep the record that it belongs to.
    if (relation) return relation.kind === 'children' ? [] : [[name, []]];
    const initial = columnOf(table, responseName)?.initial ?? null;
    return [[name, initial === null ? null : initial === 1]];
  });
  return Object.fromEntries(entries);
}

function inputOf(table: Table, fields: readonly BodyField[], values: BodyValues): RecordInput {
  const cells: Record<string, Cell> = {};
  const input: RecordInput = { cells, links: [], children: [], parts: [] };
  for (const { name, field } of fields) {
    if (!Object.hasOwn(values, name)) continue;
    const relation = relationOf(table, name);
    const getItems = () => (values[name] ?? []) as BodyValues[];
    // Columns have the names of fields in requests, such as `category_id`. A write-only field, such as `password`, has
    // no column.
    if (!relation) {
      if (table.columns.some((column) => column.name === name)) cells[name] = toCell(field, values[name]);
    } else if (relation.kind === 'links') {
      input.links.push({ relation, links: getItems().map((link) => newLink(relation, link)) });
    } else if (relation.kind === 'children') {
      input.children.push({ relation, ids: getItems().map(({ id }) => String(id)) });
    } else {
      const partFields = nestedFields(field).filter((entry) => entry.name !== 'id');
      const parts = getItems().map((part) => ({
        ...inputOf(relation.target, partFields, part),
        id: idOf(part),
      }));
      input.parts.push({ relation, parts });
    }
  }
  return input;
}

function newLink({ field }: LinkRelation, link: BodyValues): NewLink {
  const sentFields = linkFields(field).filter(({ name }) => Object.hasOwn(link, name));
  const pivotEntries = sentFields.map(({ name, field }) => [name, toCell(field, link[name])] as const);
  return { id: String(link.id), pivot: Object.fromEntries(pivotEntries) };
}

function idOf({ id }: BodyValues): string | undefined {
  return id === undefined ? undefined : String(id);
}

/** The data of a record to write. */
interface RecordInput {
  cells: Cells;
  links: { relation: LinkRelation; links: NewLink[] }[];
  /** The IDs of the records that will refer to this record. */
  children: { relation: ChildRelation; ids: string[] }[];
  parts: { relation: ChildRelation; parts: PartInput[] }[];
}

/** A part to write: with an ID, an existing part is changed; without an ID, a part is created. */
interface PartInput extends RecordInput {
  id: string | undefined;
}

/** A relation that is stored in the other table. */
type ChildRelation = Exclude<Relation, LinkRelation>;

function writeRelated(call: OperationCall, id: string, { links, children, parts }: RecordInput): void {
  for (const { relation, links: newLinks } of links) {
    touchLinkedRecords(call, relation, replaceLinks(call.database, relation, id, newLinks));
  }
  for (const { relation, ids } of children) {
    replaceChildren(call.database, relation, id, ids, formatTimestamp(call.now));
  }
  for (const { relation, parts: newParts } of parts) replaceParts(call, relation, id, newParts);
}

/** Replaces the parts of a record. Their order is stored. */
function replaceParts(
  call: OperationCall,
  { target, column }: ChildRelation,
  id: string,
  parts: readonly PartInput[],
): void {
  const { database } = call;
  const sql = `SELECT id FROM ${quoteName(target.name)} WHERE ${quoteName(column)} = ?`;
  const oldIds = database.all(sql, id).map((row) => String(row.id));
  for (const deletedId of oldIds.filter((partId) => !parts.some((part) => part.id === partId))) {
    removeRow(database, target, deletedId);
  }
  for (const [position, part] of parts.entries()) {
    const partId = part.id ?? call.newId(target.name, `${id}/${position}`);
    const cells = { ...part.cells, [positionColumn]: position };
    if (part.id === undefined) insertRow(database, target, { ...cells, id: partId, [column]: id });
    else updateRow(database, target, partId, cells);
    writeRelated(call, partId, part);
  }
}

/** Sets `updated_at` of the linked records to the current time, if their responses contain the link. */
function touchLinkedRecords(
  { database, now }: Context,
  relation: LinkRelation,
  ids: readonly string[],
): void {
  const { target } = relation;
  const containsLink = target.relations.some(
    (targetRelation) =>
      targetRelation.kind === 'links' &&
      targetRelation.table.name === relation.table.name &&
      targetRelation.recordColumn === relation.targetColumn,
  );
  if (!containsLink || ids.length === 0) return;
  database.run(
    `UPDATE ${quoteName(target.name)} SET updated_at = ? WHERE id IN (SELECT value FROM json_each(?))`,
    formatTimestamp(now),
    JSON.stringify(ids),
  );
}
