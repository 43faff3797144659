/** The tables of what was written with boh: a row for each write, and one for each field of it. */
import type { Table } from './table.ts';

export const historyTable: Table = {
  name: 'history_entries',
  about: 'What was written to the account with boh, from the machine that syncs the mirror',
  columns: [
    { name: 'id', type: 'text', about: 'Its number, as a text' },
    { name: 'number', type: 'bigint', about: 'Its number in the history' },
    { name: 'at', type: 'timestamptz', about: 'When it was sent' },
    { name: 'run', type: 'text', about: 'The command or run that it is a part of' },
    {
      name: 'line',
      type: 'text',
      about: 'The command line, secrets covered; nothing where the mirror leaves fields of the resource out',
    },
    { name: 'profile', type: 'text', about: 'The profile that was used' },
    { name: 'business_name', type: 'text', about: 'The business, by its name or id' },
    { name: 'user_name', type: 'text', about: 'Who was signed in, by name or id' },
    { name: 'resource', type: 'text', about: 'What was written to; nothing where boh doesn’t know' },
    { name: 'verb', type: 'text', about: 'What was done, as commands call it' },
    { name: 'record_id', type: 'text', about: 'The record that it was done to' },
    { name: 'other_id', type: 'text', about: 'The record at the other end of a link' },
    { name: 'outcome', type: 'text', about: 'done, refused or unknown' },
    { name: 'error', type: 'text', about: 'Why it was refused, or is not known' },
    { name: 'before_missing', type: 'text', about: 'Why nothing is known of what was there before' },
    { name: 'takes_back', type: 'text', about: 'Of an undo: the write or the run that it takes back' },
    { name: 'is_forgotten', type: 'boolean', about: 'Whether what it was is forgotten' },
  ],
};

/** The column with the write that a field belongs to. */
export const entryColumn = 'history_entry_id';

export const historyFieldsTable: Table = {
  name: 'history_entries_fields',
  about: 'What each write was about, field by field',
  owner: entryColumn,
  columns: [
    { name: 'id', type: 'text', about: 'Made of the number and the field' },
    { name: entryColumn, type: 'text', about: 'The write that it belongs to' },
    { name: 'field', type: 'text', about: 'By the name that the API has for it' },
    {
      name: 'old_value',
      type: 'text',
      about:
        'What was there before: a text as it is, a number by its digits, a relation by its id, all else as JSON',
    },
    { name: 'new_value', type: 'text', about: 'What was to be there after it, in the same form' },
  ],
};

export const historyTables: readonly Table[] = [historyTable, historyFieldsTable];
