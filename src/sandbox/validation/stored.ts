/** A body held against the other records: what it refers to exists, and what must be unique is. */
import type { Database } from '../../storage/database.ts';
import type { Call } from '../call.ts';
import { type Row, toCell } from '../store/cells.ts';
import { linkedTo } from '../store/links.ts';
import { quoted } from '../store/quoted.ts';
import { relationOf, type Table } from '../store/tables.ts';
import type { Messages } from './body.ts';

/** `before` is the record that an update changes: what it holds already may be sent again. */
export function addStoredProblems(
  messages: Messages,
  { database, tables, operation, table, body }: Call,
  before?: Row,
): void {
  const id = String(before?.id ?? '');
  for (const { name, field } of operation.body) {
    const value = body[name];
    const { target = '', unique } = field.traits;
    if (value === undefined || value === null || isRefused(messages, name)) continue;
    if (
      field.kind === 'one' &&
      value !== before?.[name] &&
      !isActive(database, tables.named(target), String(value))
    ) {
      messages.add(name, 'names a record that does not exist');
    }
    if (field.kind === 'many') {
      const sent = (value as { id: string }[]).map((link) => link.id);
      const shown = shownLinks(database, table, name, id);
      const other = tables.named(target);
      addLinkProblems(messages, name, sent, (one) => shown.has(one) || isActive(database, other, one));
    }
    if (unique && value !== '') {
      const sql = `SELECT 1 FROM ${quoted(table.name)} WHERE ${quoted(name)} = ? AND id <> ? LIMIT 1`;
      if (database.get(sql, toCell(field, value), id)) messages.add(name, 'has already been taken');
    }
  }
}

/** Whether there is such a record and it isn't deleted. */
export function isActive(database: Database, table: Table, id: string): boolean {
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
function shownLinks(database: Database, table: Table, fieldName: string, id: string): Set<string> {
  const relation = relationOf(table, fieldName);
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
