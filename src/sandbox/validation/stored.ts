/** Validates a body against other records: referenced records must exist and match, and unique values must be unused. */
import type { Field } from '../../api/contract/field.ts';
import { type BodyField, nestedFields } from '../../api/contract/operation.ts';
import type { Database, StoredRow } from '../../base/storage/database.ts';
import { quoteName } from '../../base/storage/quote-name.ts';
import type { OperationCall } from '../context.ts';
import { kinds, toCell } from '../kinds.ts';
import { findRow, linkedRecords } from '../store/rows.ts';
import { type Relation, relationOf, type Table } from '../store/tables.ts';
import type { Messages } from './body.ts';

/** An object to write: the body itself, or a part in it. */
interface InputObject {
  table: Table;
  fields: readonly BodyField[];
  values: Readonly<Record<string, unknown>>;
  /** The existing record, whose values can be sent again. */
  before: StoredRow | undefined;
  /** The prefix of its field names, such as `options.0.`. */
  path: string;
}

/** Adds the problems that depend on other records to the messages. `before` is the record that an update changes. */
export function addStoredProblems(messages: Messages, call: OperationCall, before?: StoredRow): void {
  const { operation, table, body } = call;
  addProblems(messages, call, { table, fields: operation.body, values: body, before, path: '' });
}

function addProblems(messages: Messages, call: OperationCall, input: InputObject): void {
  const { table, fields, values, before } = input;
  for (const { name, field } of fields) {
    const [value, path] = [values[name], input.path + name];
    if (value === undefined || value === null || messages.has(path)) continue;
    const relation = relationOf(table, name);
    if (relation?.kind === 'parts') {
      addPartProblems(messages, call, { relation, before, path }, value as Part[]);
    } else if (relation) {
      addLinkProblems(messages, call, { relation, before, path }, value as Part[]);
    } else if (kinds[field.kind].storedAs === 'id' && value !== before?.[name]) {
      const target = call.tables.get(field.traits.target ?? '');
      if (!isActive(call.database, target, String(value))) messages.add(path, missingRecord);
    }
    if (field.traits.unique && value !== '' && isTaken(call.database, input, name, field)) {
      messages.add(path, 'has already been taken');
    }
  }
}

const missingRecord = "refers to a record that doesn't exist";

/** Returns whether the record exists and isn't deleted. */
export function isActive(database: Database, table: Table, id: string): boolean {
  const activeCondition = table.isSoftDeleted ? ' AND deleted_at IS NULL' : '';
  return (
    database.get(`SELECT 1 FROM ${quoteName(table.name)} WHERE id = ?${activeCondition}`, id) !== undefined
  );
}

function isTaken(
  database: Database,
  { table, values, before }: InputObject,
  name: string,
  field: Field,
): boolean {
  const sql = `SELECT 1 FROM ${quoteName(table.name)} WHERE ${quoteName(name)} = ? AND id <> ? LIMIT 1`;
  return database.get(sql, toCell(field, values[name]), String(before?.id ?? '')) !== undefined;
}

type Part = Readonly<Record<string, unknown>> & { id?: string };

interface RelatedInput {
  relation: Relation;
  before: StoredRow | undefined;
  path: string;
}

function addLinkProblems(
  messages: Messages,
  { database }: OperationCall,
  relatedInput: RelatedInput,
  links: readonly Part[],
): void {
  const { relation, before, path } = relatedInput;
  const { target, field } = relation;
  const existingIds = linkedIds(database, relation, before);
  const ids = links.map(({ id }) => String(id));
  const problemOf = (id: string) => {
    // Existing links to deleted records are allowed, for example in the lines of a stock document.
    if (existingIds.has(id)) return undefined;
    if (!isActive(database, target, id)) return missingRecord;
    return isAllowedTarget(database, target, id, field) ? undefined : targetProblem(target, field);
  };
  addIdProblems(messages, path, ids, problemOf);
  const inverse = relation.kind === 'children' ? target.fields[field.traits.inverseOf ?? ''] : undefined;
  const omittedIds = inverse?.traits.required ? [...existingIds].filter((id) => !ids.includes(id)) : [];
  if (omittedIds.length > 0) {
    messages.add(
      path,
      `can't omit ${omittedIds.join(', ')}: each of them must belong to one of the ${inverse?.traits.target}`,
    );
  }
}

/** Adds the problems of parts. Parts with an ID must belong to the record. */
function addPartProblems(
  messages: Messages,
  call: OperationCall,
  relatedInput: RelatedInput,
  parts: readonly Part[],
): void {
  const { relation, before, path } = relatedInput;
  const existingIds = linkedIds(call.database, relation, before);
  const ids = parts.map(({ id }) => id);
  addIdProblems(messages, path, ids, (id) => (existingIds.has(id) ? undefined : missingRecord));
  for (const [index, part] of parts.entries()) {
    const exists = part.id !== undefined && existingIds.has(part.id);
    addProblems(messages, call, {
      table: relation.target,
      fields: nestedFields(relation.field),
      values: part,
      before: exists ? findRow(call.database, relation.target, String(part.id)) : undefined,
      path: `${path}.${index}.`,
    });
  }
}

/** Adds the problems of IDs, each of which must occur only once. */
function addIdProblems(
  messages: Messages,
  path: string,
  ids: readonly (string | undefined)[],
  problemOf: (id: string) => string | undefined,
): void {
  const earlierIds = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (id === undefined) continue;
    const problem = earlierIds.has(id) ? 'is listed twice' : problemOf(id);
    if (problem) messages.add(`${path}.${index}.id`, problem);
    earlierIds.add(id);
  }
}

function linkedIds(database: Database, relation: Relation, before: StoredRow | undefined): Set<string> {
  if (!before) return new Set();
  const id = String(before.id);
  return new Set(
    linkedRecords(database, relation, [id])
      .get(id)
      ?.map((linked) => linked.id),
  );
}

function isAllowedTarget(
  database: Database,
  target: Table,
  id: string,
  { traits: { targetFilter } }: Field,
): boolean {
  return (
    targetFilter === undefined || findRow(database, target, id)?.[targetFilter.field] === targetFilter.value
  );
}

function targetProblem({ noun, fields }: Table, { traits: { targetFilter } }: Field): string {
  const { field = '', value } = targetFilter ?? {};
  const [word] =
    Object.entries(fields[field]?.traits.words ?? {}).find(([, number]) => number === value) ?? [];
  return `refers to a ${noun} whose ${field} is not ${value} (${word})`;
}
