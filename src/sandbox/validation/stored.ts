/** A body held against the other records: what it refers to exists, and what must be unique is. */
import type { Operation } from '../../contract/operation.ts';
import { toCell } from '../store/cells.ts';
import type { Database } from '../store/database.ts';
import { quoted } from '../store/quoted.ts';
import { tableNamed } from '../store/tables.ts';
import type { Messages } from './body.ts';

type Body = Readonly<Record<string, unknown>>;

/** `id` is the record that an update changes: its own values are not in its way. */
export function addStoredProblems(
  messages: Messages,
  database: Database,
  operation: Operation,
  body: Body,
  id = '',
): void {
  for (const { name, field } of operation.body) {
    const value = body[name];
    const { target = '', unique } = field.traits;
    if (value === undefined || value === null || isRefused(messages, name)) continue;
    if (field.kind === 'one' && !isActive(database, target, String(value))) {
      messages.add(name, 'names a record that does not exist');
    }
    if (field.kind === 'many') addLinkProblems(messages, database, name, target, value as { id: string }[]);
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
  database: Database,
  name: string,
  target: string,
  links: readonly { id: string }[],
): void {
  const seen = new Set<string>();
  for (const [index, { id }] of links.entries()) {
    if (seen.has(id)) messages.add(`${name}.${index}.id`, 'is there twice');
    else if (!isActive(database, target, id)) {
      messages.add(`${name}.${index}.id`, 'names a record that does not exist');
    }
    seen.add(id);
  }
}

function isRefused({ found }: Messages, name: string): boolean {
  return Object.keys(found).some((path) => path === name || path.startsWith(`${name}.`));
}
