/** Between a value as it stands in the JSON and a cell of the database. */
import type { Field } from '../../contract/field.ts';
import type { Cell, Row } from '../../storage/database.ts';

export type { Cell, Row } from '../../storage/database.ts';

/** What is to be written: the columns that are named. */
export type Cells = Row;

/** SQLite's type for a kind of value; none where numbers and text may both stand, so that it changes neither. */
export function columnType({ kind }: Field): string {
  switch (kind) {
    case 'integer':
    case 'choice':
    case 'boolean':
      return 'INTEGER';
    case 'decimal':
      return 'REAL';
    case 'unit':
    case 'hour':
      return '';
    default:
      return 'TEXT';
  }
}

/** What new records begin with: switches are off, but for the one that says whether a record is in use. */
export function startingCell({ name, field }: { name: string; field: Field }): Cell {
  if (field.kind !== 'boolean') return null;
  return name === 'is_active' ? 1 : 0;
}

export function toCell({ kind }: Field, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (kind === 'boolean') return value ? 1 : 0;
  if (isStructure(kind)) return JSON.stringify(value);
  return typeof value === 'number' ? value : String(value);
}

/**
 * A cell as answers show it. A field that was never given and can't be null by the document is answered
 * with the empty value of its kind.
 */
export function fromCell({ kind, traits }: Field, cell: Cell | undefined): unknown {
  if (cell === null || cell === undefined) return traits.nullable ? null : emptyValue(kind);
  if (traits.secret) return '****';
  if (kind === 'boolean') return cell === 1;
  return isStructure(kind) ? JSON.parse(String(cell)) : cell;
}

function emptyValue(kind: Field['kind']): unknown {
  switch (kind) {
    case 'text':
      return '';
    case 'integer':
    case 'decimal':
      return 0;
    case 'numeric_text':
      return '0';
    case 'boolean':
      return false;
    case 'words':
    case 'ids':
    case 'integers':
      return [];
    default:
      return null;
  }
}

/** Whether cells hold it as JSON. */
export function isStructure(kind: Field['kind']): boolean {
  return ['words', 'integers', 'ids', 'ring', 'object'].includes(kind);
}
