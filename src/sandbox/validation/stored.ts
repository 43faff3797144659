/** A body held against the other records: what it refers to exists, and what must be unique is. */
import type { Operation } from '../../contract/operation.ts';
import { type Row, toCell } from '../store/cells.ts';
import type { Database } from '../store/database.ts';
import { linkedTo } from '../store/links.ts';
import { quoted } from '../store/quoted.ts';
import { relationOf, tableNamed } from '../store/tables.ts';
import type { Messages } from './body.ts';

type Body = Readonly<Record<string, unknown>>;

/** `before` is the record that an update changes: what it holds already may be sent again. */
export function addStoredProblems(
  messages: Messages,
  database: Database,
  operation: Operation,
  body: Body,
  before?: Row,
): void {
  const id = String(before?.id ?? '');
  for (const { name, field } of operation.body) {
    const value = body[name];
    const { target = '', unique } = field.traits;
    if (value === undefined || value === null || isRefused(messages, name)) continue;
    if (field.kind === 'one' && value !== before?.[name] && !isActive(database, target, String(value))) {
      messages.add(name, 'names a record that does not exist');
    }
    if (field.kind === 'many') {
      const sent = (value as { id: string }[]).map((link) => link.id);
      const shown = shownLinks(database, operation.resource.name, name, id);
      addLinkProblems(messages, name, sent, (other) => shown.has(other) || isActive(database, target, other));
    }
    if (unique && value !== '') {
      const sql = `SELECT 1 FROM ${quoted(operation.resource.name)} WHERE ${quoted(name)} = ? AND id <> ? LIMIT 1`;
      if (database.get(sql, toCell(field, value), id)) messages.add(name, 'has already been taken');
    }
  }
}

/** Whether there is such a record and it isn't deleted. */
export function isActive(database: Database, tableName: string, id: string): boolean {
  const table = tableNamed(tableName);
  const active = table.isSoftDeleted ? ' AND deleted_at IS NULL' : '';
  return database.get(`SELECT 1 FROM ${quoted(table.name)} WHERE id = ?${active}`, id) !== undefined;
}

function addLinkProblems(
  messages: Messages,
  name: string,
  ids: readonly string[],
  isThere: (id: string) => boolean,
): void {
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (seen.has(id)) messages.add(`${name}.${index}.id`, 'is there twice');
    else if (!isThere(id)) messages.add(`${name}.${index}.id`, 'names a record that does not exist');
    seen.add(id);
  }
}

/** The lines of a document go on naming items that were deleted since. */
function shownLinks(database: Database, tableName: string, fieldName: string, id: string): Set<string> {
  const relation = relationOf(tableNamed(tableName), fieldName);
  if (id === '' || !relation) return new Set();
  return new Set(
    linkedTo(database, relation, [id])
      .get(id)
      ?.map((linked) => linked.id),
  );
}

function isRefused({ found }: Messages, name: string): boolean {
  return Object.keys(found).some((path) => path === name || path.startsWith(`${name}.`));
}
