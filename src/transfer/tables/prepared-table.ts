/** A table of an export that is ready to be read: its columns, its formats, and the function that reads a row. */

import { type FieldMessages, usage } from '../../base/errors.ts';
import { detectFormats } from '../../bulk/plan/detect-formats.ts';
import { rowParser } from '../../bulk/plan/parse-row.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Intent } from '../../runs/intent.ts';
import { type Column, deletedColumn, findColumn, normalizeColumnName } from '../../tables/columns/columns.ts';
import { matchHeader } from '../../tables/columns/match-header.ts';
import { defaultOptions } from '../../tables/columns/options.ts';
import type { RowProblem, TableRow } from '../../tables/table.ts';
import type { ExportedTable } from './exported-tables.ts';

/** A row of a table that was read. */
export interface ReadRecord {
  intent: Intent;
  line: number;
  problems: RowProblem[];
  /** Whether the row marks its record as deleted. */
  isDeleted: boolean;
}

/** A table whose rows can be read repeatedly. */
export interface PreparedTable extends ExportedTable {
  /** The problems of the columns that were read, by name. In JSON later rows can add columns, and so problems. */
  problems: ReadonlyMap<string, string>;
  /** The columns that can't be written. */
  ignored: ReadonlySet<string>;
  rows(): AsyncGenerator<ReadRecord>;
}

/** Returns whether the API can write records of a resource. */
export function isWritable({ create, update }: Resource): boolean {
  return (create ?? update) !== undefined;
}

export interface TableReadOptions {
  /** Removes the apostrophe that an export writes before cells that spreadsheets would run as formulas. */
  unescapeFormula(text: string): string;
  /** Whether values that are probably damaged are read like others. */
  acceptsDamage?: boolean | undefined;
}

/** Prepares a table of records. Throws a usage failure if its formats are ambiguous. */
export async function prepareTable(
  exported: ExportedTable,
  { unescapeFormula, acceptsDamage }: TableReadOptions,
): Promise<PreparedTable> {
  const { resource, table, label } = exported;
  const problems = new Map<string, string>();
  const ignored = new Set<string>();
  const columnFor = columnFinder(resource, problems, ignored);
  for (const name of table.columns ?? []) if (name !== '') columnFor(name);
  const formats = await detectFormats({ table, columnFor, label, hasFlags: false });
  const rowOptions = {
    resource,
    format: table.format,
    columnFor,
    formats,
    options: { ...defaultOptions, acceptsDamage },
    unescapeFormula,
  };
  const parseRow = isWritable(resource) ? rowParser(rowOptions) : parseId;
  async function* rows() {
    for await (const row of table.rows())
      yield { ...refuseOtherCommands(parseRow(row)), line: row.line, ...parseDeleted(row) };
  }
  return { ...exported, problems, ignored, rows };
}

/** Reads only the ID of a row that can't be written. */
function parseId({ cells }: TableRow): { intent: Intent; problems: RowProblem[] } {
  const id = [...cells].find(([name]) => normalizeColumnName(name) === 'id')?.[1];
  return { intent: { command: 'upsert', id: String(id ?? ''), body: {} }, problems: [] };
}

function refuseOtherCommands({ intent, problems }: { intent: Intent; problems: RowProblem[] }) {
  if (intent.command === 'upsert') return { intent, problems };
  const problem = `can't be ${intent.command} here: records are updated, or created if they don't exist`;
  return { intent, problems: [...problems, { column: '_command', what: problem }] };
}

function parseDeleted({ cells }: TableRow): { isDeleted: boolean } {
  const cell = [...cells].find(([name]) => normalizeColumnName(name) === deletedColumn)?.[1];
  return { isDeleted: /^(true|1|yes)$/i.test(String(cell ?? '').trim()) };
}

/** Collects all problems of columns. Columns that can't be written are ignored, because an export may contain them. */
function columnFinder(
  resource: Resource,
  problems: Map<string, string>,
  ignored: Set<string>,
): (name: string) => Column | undefined {
  const { columnFor, problems: headerProblems } = matchHeader(resource, {
    ...defaultOptions,
    isReadOnlyIgnored: true,
  });
  return (name) => {
    const column = columnFor(name);
    for (const { name: columnName, message } of headerProblems) problems.set(columnName, message);
    if (column?.field?.traits.secret) {
      problems.set(name, `contains secrets; use boh ${resource.command} import`);
      return undefined;
    }
    if (!column && isWritable(resource) && findColumn(resource, name)?.role === 'read_only')
      ignored.add(name);
    return column;
  };
}

/** Throws one usage failure for all columns of the tables that can't be imported. */
export function refuseHeaderProblems(tables: Iterable<PreparedTable>): void {
  const fields: FieldMessages = Object.create(null);
  for (const { name, problems } of tables)
    for (const [column, message] of problems) fields[`${name}: ${column}`] = [message];
  const count = Object.keys(fields).length;
  if (count === 0) return;
  throw usage(`${count === 1 ? 'A column' : `${count} columns`} can't be imported; nothing was sent.`, {
    fields,
    hint: 'Rename or remove these columns. To rename them on import: boh RESOURCE import FILE --map COLUMN=FIELD',
  });
}
