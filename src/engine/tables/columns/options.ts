/** The options of an import: how rows are matched with records, and what happens to rows that don't match. */
import type { DateOrder } from '../../../api/contract/date-formats.ts';
import { nullCell } from '../table.ts';
import type { DecimalSeparator } from './numbers.ts';

/** The modes: upsert updates and creates, update never creates, create never updates. */
export const importModes = ['upsert', 'create', 'update', 'delete'] as const;
export type ImportMode = (typeof importModes)[number];

/** The choices for a row whose record changed after the file was written. */
export const staleChoices = ['refuse', 'overwrite'] as const;

/** The choices for a row whose record is deleted. */
export const deletedChoices = ['restore', 'refuse'] as const;

/** The ways to change a list. */
export const listModes = ['replace', 'add', 'remove'] as const;
/** The way to change a list. */
export type ListMode = (typeof listModes)[number];

export interface ImportOptions {
  mode: ImportMode;
  /** The columns that identify a record. The default is the id, or a key that is unique according to the API document. */
  key?: readonly string[] | undefined;
  /** The fields by the column names in the file; '' ignores the column. */
  map: ReadonlyMap<string, string>;
  /** Whether columns that the map doesn't contain are ignored. */
  isOnlyMapped?: boolean | undefined;
  /** Whether read-only columns, such as ids of another account, are ignored. */
  isReadOnlyIgnored: boolean;
  /** The choice for a row whose record changed after the file was written. */
  stale: (typeof staleChoices)[number];
  /** The cell text that clears a field. */
  nullText: string;
  listMode: ListMode;
  /** The choice for a row whose record is deleted. If undefined, deleted records are found only by id. */
  onDeleted?: (typeof deletedChoices)[number] | undefined;
  /** Whether phone numbers are normalized to digits. */
  normalizesPhones?: boolean | undefined;
  /** Whether values that are probably damaged are written. */
  acceptsDamage?: boolean | undefined;
  /** The formats of numbers and dates, if the file is ambiguous. */
  decimal?: DecimalSeparator | undefined;
  dates?: DateOrder | undefined;
}

export const defaultOptions: ImportOptions = {
  mode: 'upsert',
  map: new Map(),
  isReadOnlyIgnored: false,
  stale: 'refuse',
  nullText: nullCell,
  listMode: 'replace',
};
