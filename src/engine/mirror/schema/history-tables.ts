/** Defines the tables for the history of writes made with boh: one row for each write, and one for each field of a write. */
import type { Table } from './table.ts';

/** The table with one row for each write. */
export const historyTable: Table = {
  name: 'history_entries',
  about: 'Writes made with boh from the machine that syncs the mirror',
  columns: [
    { name: 'id', type: 'text', about: 'Its number as text' },
    { name: 'number', type: 'bigint', about: 'Its number in the history' },
    { name: 'at', type: 'timestamptz', about: 'When it was sent' },
    { name: 'run', type: 'text', about: 'The command or run it is part of' },
    {
      name: 'line',
      type: 'text',
      about: 'The command line, secrets redacted; null if the mirror excludes fields of the resource',
    },
    { name: 'profile', type: 'text', about: 'The profile that was used' },
    { name: 'business_name', type: 'text', about: 'Name or ID of the business' },
    { name: 'user_name', type: 'text', about: 'Name or ID of the signed-in user' },
    { name: 'resource', type: 'text', about: 'The resource that was written to; null if unknown' },
    { name: 'verb', type: 'text', about: 'The verb, as in the command' },
    { name: 'record_id', type: 'text', about: 'The record that was written to', isIndexed: true },
    { name: 'other_id', type: 'text', about: 'The other record of a link' },
    { name: 'outcome', type: 'text', about: 'done, refused or unknown' },
    { name: 'error', type: 'text', about: 'Why it was refused or is unknown' },
    { name: 'before_missing', type: 'text', about: 'Why the values before the write are unknown' },
    { name: 'undoes', type: 'text', about: 'For an undo: the write or run it undoes' },
    { name: 'is_forgotten', type: 'boolean', about: 'Whether its contents were forgotten' },
  ],
};

/** The column with the ID of the write that a field belongs to. */
export const entryColumn = 'history_entry_id';

/** The table with one row for each field of a write. */
export const historyFieldsTable: Table = {
  name: 'history_entries_fields',
  about: 'The fields of each write',
  owner: entryColumn,
  columns: [
    { name: 'id', type: 'text', about: 'The number and the field' },
    { name: entryColumn, type: 'text', about: 'The write it belongs to', references: historyTable.name },
    { name: 'field', type: 'text', about: "The API's field name" },
    {
      name: 'old_value',
      type: 'text',
      about:
        'Value before the write: text as it is, a number as its digits, a relation as its ID, anything else as JSON',
    },
    { name: 'new_value', type: 'text', about: 'Value after the write, in the same format' },
  ],
};

export const historyTables: readonly Table[] = [historyTable, historyFieldsTable];
