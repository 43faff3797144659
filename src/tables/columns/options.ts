/** What can be said of an import: how rows are matched with records, and what becomes of those that don't fit. */
import type { DateForm } from '../../contract/date-forms.ts';
import { emptiedCell } from '../table.ts';
import type { DecimalMark } from './numbers.ts';

/** upsert: changes what is there and adds the rest · update: never adds · create: never changes. */
export const modes = ['upsert', 'create', 'update', 'delete'] as const;
export type Mode = (typeof modes)[number];

export const listModes = ['replace', 'add', 'remove'] as const;
export type ListMode = (typeof listModes)[number];

export interface ImportOptions {
  mode: Mode;
  /** Columns by which a row is known to be a record; else the id, or a key that the document calls unique. */
  key?: readonly string[] | undefined;
  /** Names of the file by which of ours they are; an empty one leaves the column out. */
  map: ReadonlyMap<string, string>;
  /** Leave out what no request may give, the ids of another account among it. */
  isReadOnlyIgnored: boolean;
  /** What becomes of a row whose record has changed since the file was written. */
  stale: 'refuse' | 'overwrite';
  /** The cell that empties a field. */
  nullText: string;
  listMode: ListMode;
  /** What becomes of a row whose record is deleted. Where it isn't said, only ids are looked for among the deleted. */
  onDeleted?: 'restore' | 'refuse' | undefined;
  /** Phone numbers are taken as digits, however the file writes them. */
  normalizesPhones?: boolean | undefined;
  /** How numbers and days are written, where the file doesn't tell. */
  decimal?: DecimalMark | undefined;
  dates?: DateForm | undefined;
}

export const usualOptions: ImportOptions = {
  mode: 'upsert',
  map: new Map(),
  isReadOnlyIgnored: false,
  stale: 'refuse',
  nullText: emptiedCell,
  listMode: 'replace',
};
