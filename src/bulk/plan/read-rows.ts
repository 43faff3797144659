/** The rows of a file into the ledger: each read, held against the contract, and kept with all that is wrong with it. */

import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import { type Column, columnsOf } from '../columns/columns.ts';
import { plainMoment } from '../columns/dates.ts';
import { cutShort, hasBreaks } from '../columns/meant-text.ts';
import type { Understanding } from '../columns/read-cell.ts';
import { isDoubtful, readCell, textIn } from '../columns/table-cell.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { NewRow } from '../ledger/row.ts';
import type { CsvTable } from '../tables/csv.ts';
import { csvWithout } from '../tables/csv-row.ts';
import { isTyped, type RowProblem, type Table, type TableForm, type TableRow } from '../tables/table.ts';
import { checkBody } from './check.ts';
import { decide } from './decide.ts';
import type { ColumnFor } from './header.ts';
import { type Intent, secretMark } from './intent.ts';
import { type Key, restsOnNames } from './mark.ts';
import { type ImportOptions, type Mode, modes } from './options.ts';
import { placed } from './place-row.ts';
import { rowError } from './row-error.ts';

export interface RowReading {
  resource: Resource;
  form: TableForm;
  columnFor: ColumnFor;
  how: Understanding;
  options: ImportOptions;
  key: Key;
  /** Told of rows that have been read. */
  onRows?: ((count: number) => void) | undefined;
  /** The text of a cell before a spreadsheet was kept from running it. */
  plainCell(text: string): string;
}

/** Rows that are written to the ledger at a time. */
const stretch = 500;

export async function readRows(table: Table, reading: RowReading, ledger: Ledger): Promise<void> {
  let rows: NewRow[] = [];
  for await (const row of table.rows()) {
    rows.push(asLedgerRow(row, table, reading));
    if (rows.length < stretch) continue;
    ledger.add(rows);
    reading.onRows?.(rows.length);
    rows = [];
  }
  ledger.add(rows);
}

function asLedgerRow(row: TableRow, table: Table, reading: RowReading): NewRow {
  const { intent, problems, secrets, hasRelations } = readRow(row, reading);
  const raw = secrets.length === 0 ? row.raw : withoutSecrets(row, table, secrets);
  const place = restsOnNames(reading.key) ? {} : placed(intent, reading);
  const known: NewRow = { line: row.line, key: titleOf(intent, reading), state: 'read', intent, raw };
  if (problems.length > 0) return { ...known, ...place, state: 'bad', error: rowError(problems) };
  // A new record that names no other one needs nothing of the service.
  const isNew = intent.command === 'create' || reading.key.length > 0;
  const isReady = isNew && place.match === undefined && place.state === undefined && !hasRelations;
  if (!isReady || restsOnNames(reading.key)) return { ...known, ...place };
  return { ...known, ...decide(intent, undefined, reading), intent: null };
}

export interface ReadRow {
  intent: Intent;
  problems: RowProblem[];
  /** Names of columns that hold secrets. */
  secrets: string[];
  /** Whether other records are named in it. */
  hasRelations: boolean;
}

export function readRow(row: TableRow, reading: RowReading): ReadRow {
  const { resource, form, columnFor, how, options, plainCell } = reading;
  const { nullText, isReadOnlyIgnored: isOfOtherAccount } = options;
  const cellReading = { form, how, nullText, plainCell, isOfOtherAccount };
  const intent: Intent = { command: options.mode, body: {} };
  const problems: RowProblem[] = [...row.problems];
  const secrets: string[] = [];
  const given: Row = {};
  const columns: Column[] = [];
  const written: Record<string, string> = {};
  const doubts: Record<string, RowProblem> = {};
  for (const [name, cell] of row.cells) {
    const column = columnFor(name);
    if (!column) continue;
    const text = textIn(cell, cellReading);
    // An empty cell leaves its field alone, unless it is the one that empties; in JSON an empty text is a text like any other.
    const isEmpty = typeof cell === 'string' && (isTyped(form) ? text.trim() : text) === '';
    if (isEmpty && (column.role !== 'value' || (isTyped(form) && nullText !== ''))) continue;
    // JSON says null of what it says nothing of: a record without an id is a new one.
    if (cell === null && column.role !== 'value') continue;
    if (column.role === 'id') intent.id = text.trim() || String(cell);
    else if (column.role === 'command') takeCommand(intent, text || cell, name, problems);
    else if (column.role === 'updated_at') {
      intent.updatedAt = typeof cell === 'string' ? plainMoment(text, how.dates) : undefined;
      if (intent.updatedAt === undefined)
        problems.push({
          column: name,
          what: `must be a moment, as the export wrote it (--map ${name}= leaves it out)${shown(column, text)}`,
        });
    } else {
      const read = readCell(resource, column, cell, cellReading);
      if (read.problem !== undefined)
        problems.push({ column: name, what: `${read.problem}${shown(column, text)}` });
      const requestName = (column.update ?? column.create)?.name ?? column.name;
      columns.push({ ...column, name });
      given[requestName] = read.value;
      if (column.field?.traits.secret) secrets.push(name);
      else if (isDoubtful(column, cell, cellReading)) {
        const what = `is a text that can be read in two ways (--decimal says which): "${text}"`;
        doubts[requestName] = { column: name, what };
      } else if (isTyped(form) && typeof read.value === 'string' && column.field?.kind === 'text') {
        if (read.value !== text || hasBreaks(text)) written[requestName] = text;
        const what = cutShort(read.value);
        if (what !== undefined) doubts[requestName] = { column: name, what };
      }
    }
  }
  if (intent.command !== 'delete') {
    const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    problems.push(...checkBody(resource, body, columns));
    intent.body = masked(body, resource);
  } else intent.body = masked(given, resource);
  if (Object.keys(written).length > 0) intent.written = written;
  if (Object.keys(doubts).length > 0) intent.doubts = doubts;
  const hasRelations = columns.some(
    ({ field }) => field?.traits.target !== undefined || field?.kind === 'objects',
  );
  return { intent, problems, secrets, hasRelations };
}

/** What stands there helps to find it; a secret is shown to nobody. */
function shown({ field }: Column, text: string): string {
  return field?.traits.secret || text === ''
    ? ''
    : `: "${text.length > 60 ? `${text.slice(0, 60)}…` : text}"`;
}

function takeCommand(intent: Intent, value: unknown, name: string, problems: RowProblem[]): void {
  const word = String(value).trim().toLowerCase();
  const mode = modes.find((each) => each === word);
  if (mode) intent.command = mode satisfies Mode;
  else problems.push({ column: name, what: `must be create, update or delete: "${value}"` });
}

function masked(body: Row, resource: Resource): Row {
  const secrets = columnsOf(resource).filter(({ field }) => field?.traits.secret);
  if (secrets.length === 0) return body;
  const names = new Set(secrets.flatMap(({ create, update }) => [create?.name, update?.name]));
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, names.has(name) ? secretMark : value]),
  );
}

function withoutSecrets(row: TableRow, table: Table, secrets: readonly string[]): string {
  if (table.form === 'xlsx') {
    const cells = JSON.parse(row.raw) as unknown[];
    return JSON.stringify(
      cells.map((cell, at) => (secrets.includes(table.columns?.[at] ?? '') ? null : cell)),
    );
  }
  if (table.form === 'csv') return csvWithout(row.raw, table as CsvTable, secrets);
  return JSON.stringify(Object.fromEntries([...row.cells].filter(([name]) => !secrets.includes(name))));
}

/** What people know the row by, until it is known what its key is. */
function titleOf({ id, body }: Intent, { resource, options }: RowReading): string | null {
  const names = options.key ?? resource.key;
  const found = names
    .map((name) => body[name])
    .find((value) => typeof value === 'string' || typeof value === 'number');
  return found === undefined ? (id ?? null) : String(found);
}
