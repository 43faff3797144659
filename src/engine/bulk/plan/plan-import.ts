/**
 * Plans the import of a file in a ledger: reads, validates, resolves, matches and decides all rows. Nothing is written
 * to the service.
 */

import { lookupsIn, replaceLookups } from '../../../account/session/map-ids.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { type Operation, operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { parseExactJson } from '../../../base/number-text.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { type Intent, type LedgerRow, type NewRow, rowError } from '../../runs/ledger/row.ts';
import { type Key, keyFor, usesReferences } from '../../runs/match-key.ts';
import { type Column, normalizeColumnName } from '../../tables/columns/columns.ts';
import {
  type ColumnFor,
  headerFailure,
  matchHeader,
  unknownMapNameProblems,
} from '../../tables/columns/match-header.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { type CsvTable, clearCsvCells } from '../../tables/csv.ts';
import type { OpenTable } from '../../tables/open-table.ts';
import type { IsIgnored, RowProblem, Table, TableRow } from '../../tables/table.ts';
import { decideRow } from './decide-row.ts';
import { detectFormats } from './detect-formats.ts';
import { type DocumentLines, findDocumentLines, groupDocuments } from './document-lines.ts';
import { addMatchKeys, matchRows, matchStateOf } from './match-rows.ts';
import { type ParsedRow, type RowReadOptions, rowParser, secretFieldNames } from './parse-row.ts';

export interface ImportPlan {
  ledger: Ledger;
  resource: Resource;
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  table: OpenTable;
  options: ImportOptions;
  /** The session; undefined offline, when only the file is validated. */
  session: Session | undefined;
  /** Removes the apostrophe that an export writes before cells that spreadsheets would run as formulas. */
  unguardCell(text: string): string;
  /** Called after the file is read, before it is compared with the account. */
  beforeMatching?: (() => Promise<void>) | undefined;
  /** Called with the number of rows that have been read. */
  onRows?: ((count: number) => void) | undefined;
  /** Called with a note on how the file was read. */
  onNote?: ((note: string) => void) | undefined;
}

/**
 * Writes every row to the ledger: `planned` with its requests, `done` if the row changes nothing, `bad` with all its
 * problems. Throws a usage failure for problems of the file as a whole.
 */
export async function planImport(plan: ImportPlan): Promise<void> {
  const { ledger, resource, label, session, unguardCell, onRows } = plan;
  const isIgnored: IsIgnored = (name) => (name === '' ? options.map.get('') === '' : !columnFor(name));
  const table: OpenTable = { ...plan.table, rows: () => plan.table.rows(isIgnored) };
  const lines = findDocumentLines(resource, table, plan.options);
  const options = lines ? documentOptions(plan.options, lines, table) : plan.options;
  const key = keyFor(resource, options);
  ledger.setProperty(
    'key',
    key.map(({ responseName }) => responseName),
  );
  const usedColumns = new Map<string, Column>();
  const hasHeader = table.columns !== undefined;
  const header = matchHeader(resource, options, table.columns, { hasHeader });
  const columnFor: ColumnFor = (name) => {
    if (lines?.isLineColumn(name)) return lines.columnFor(name);
    // A reference that the service assigns only groups rows.
    if (lines && name === lines.reference && !lines.isReferenceWritten) return undefined;
    const column = header.columnFor(name);
    if (column) usedColumns.set(column.responseName, column);
    return column;
  };
  for (const name of table.columns ?? []) if (name !== '') columnFor(name);
  const unknownNames = table.columns ? unknownMapNameProblems(options.map, table.columns) : [];
  const problems = [...header.problems, ...unknownNames];
  if (problems.length > 0) throw headerFailure(label, `${resource.command} import`, problems);
  const formats = await detectFormats({ ...options, table, columnFor, label, hasFlags: true });
  const emptyWords = new Map<string, number>();
  const reading = {
    resource,
    format: table.format,
    columnFor,
    formats,
    options,
    key,
    unguardCell,
    onRows,
    onEmptyWord: (word: string) => emptyWords.set(word, (emptyWords.get(word) ?? 0) + 1),
  };
  await readRows(lines ? groupDocuments(table, lines, reading) : table, reading, ledger);
  if (header.problems.length > 0) throw headerFailure(label, `${resource.command} import`, header.problems);
  if (ledger.count() === 0) throw usage(`${label} has no rows.`);
  const words = [...emptyWords].map(([word, count]) => `${word} (${count})`).join(', ');
  if (words !== '') plan.onNote?.(`${label}: these words were read as empty cells: ${words}.`);
  await plan.beforeMatching?.();
  const columns = [...usedColumns.values()];
  if (session && columns.some(({ field, role }) => role === 'value' && field?.traits.target)) {
    await resolveNames(ledger, resource, session);
  }
  addMatchKeys({ ledger, resource, options, key });
  if (session) {
    const responseNames = new Set(columns.map((column) => column.responseName));
    await matchRows({ ledger, resource, session, options, key, responseNames });
  }
}

/** Returns the options for the import of documents. Without a reference or id, every document is created. */
function documentOptions(
  options: ImportOptions,
  { reference, isReferenceWritten }: DocumentLines,
  { columns = [] }: Table,
): ImportOptions {
  if (options.key !== undefined || options.mode !== 'upsert') return options;
  if (columns.some((name) => normalizeColumnName(name) === 'id')) return options;
  if (reference !== undefined && isReferenceWritten) return { ...options, key: ['reference'] };
  return { ...options, mode: 'create' };
}

interface ImportReadOptions extends RowReadOptions {
  key: Key;
  /** Called with the number of rows that have been read. */
  onRows?: ((count: number) => void) | undefined;
}

/** The number of rows that are written to the ledger at a time. */
const batchRows = 500;

async function readRows(table: Table, reading: ImportReadOptions, ledger: Ledger): Promise<void> {
  const read = rowParser(reading);
  let rows: NewRow[] = [];
  for await (const row of table.rows()) {
    rows.push(toNewRow(row, read(row), { table, reading }));
    if (rows.length < batchRows) continue;
    ledger.add(rows);
    reading.onRows?.(rows.length);
    rows = [];
  }
  ledger.add(rows);
}

function toNewRow(
  row: TableRow,
  { intent, problems, secrets, hasRelations }: ParsedRow,
  { table, reading }: { table: Table; reading: ImportReadOptions },
): NewRow {
  const raw = secrets.length === 0 ? rawTextOf(row, table, reading) : withoutSecrets(row, table, secrets);
  const matchState = usesReferences(reading.key) ? {} : matchStateOf(intent, reading);
  const common: NewRow = { line: row.line, key: labelOf(intent, reading), state: 'read', intent, raw };
  if (problems.length > 0) return { ...common, ...matchState, state: 'bad', error: rowError(problems) };
  // A new record without names of other records is decided without the service.
  const isNew = intent.command === 'create' || reading.key.length > 0;
  const isReady = isNew && matchState.match === undefined && matchState.state === undefined && !hasRelations;
  if (!isReady || usesReferences(reading.key)) return { ...common, ...matchState };
  return { ...common, ...decideRow(intent, undefined, reading), intent: null };
}

/**
 * Returns the raw row for the ledger. Returns '' for an unreadable row that may contain a secret, because the secret
 * can't be located.
 */
function rawTextOf(row: TableRow, { columns }: Table, { resource, columnFor }: ImportReadOptions): string {
  if (row.cells.size > 0 || row.problems.length === 0) return row.raw;
  const secrets = [...secretFieldNames(resource)];
  const isSecret = (name: string) => name !== '' && columnFor(name)?.field?.traits.secret === true;
  const mayContainSecret = columns ? columns.some(isSecret) : secrets.some((name) => row.raw.includes(name));
  return mayContainSecret ? '' : row.raw;
}

function withoutSecrets(row: TableRow, table: Table, secrets: readonly string[]): string {
  if (table.format === 'xlsx') {
    const cells = parseExactJson(row.raw) as unknown[];
    return JSON.stringify(
      cells.map((cell, index) => (secrets.includes(table.columns?.[index] ?? '') ? null : cell)),
    );
  }
  if (table.format === 'csv') return clearCsvCells(row.raw, table as CsvTable, secrets);
  return JSON.stringify(Object.fromEntries([...row.cells].filter(([name]) => !secrets.includes(name))));
}

/** Returns a label of the row for messages until its key is known; null if it has none. */
function labelOf({ id, body }: Intent, { resource, options }: ImportReadOptions): string | null {
  const names = options.key ?? resource.key;
  const value = names
    .map((name) => body[name])
    .find((text) => typeof text === 'string' || typeof text === 'number');
  return value === undefined ? (id ?? null) : String(value);
}

/** Replaces the names of related records with ids in all rows. A row with an unknown name becomes invalid. */
async function resolveNames(ledger: Ledger, resource: Resource, session: Session): Promise<void> {
  const names = new NameLookups(session);
  const operations = ['create', 'update'].flatMap((verb) => operation(resource, verb) ?? []);
  // Rows that are invalid for another reason get the errors about unknown names too.
  for (const rows of ledger.batches('read', 'bad')) {
    const calls = rows.flatMap((row) => callsOf(row, operations));
    await names.load(calls.map(({ call }) => call));
    ledger.write(() => {
      for (const row of rows) resolveRow(ledger, row, operations, names);
    });
  }
}

function resolveRow(
  ledger: Ledger,
  row: LedgerRow,
  operations: readonly Operation[],
  names: NameLookups,
): void {
  const intent = row.intent as Intent;
  const problems: RowProblem[] = [];
  const body = { ...intent.body };
  const calls = callsOf(row, operations);
  if (calls.length === 0) return;
  for (const { call } of calls) {
    for (const { name, responseName } of call.operation.body) {
      if (!Object.hasOwn(body, name)) continue;
      // Each field is resolved separately, so that errors name the field.
      const resolved = replaceLookups({ ...call, body: { [name]: body[name] } }, (target, text) => {
        const result = names.get(target, text);
        if (!(result instanceof Failure)) return result;
        const message = `can't be resolved: ${result.message.replace(/\.$/, '')}`;
        if (!problems.some((problem) => problem.column === responseName && problem.what === message))
          problems.push({ column: responseName, what: message });
        return text;
      });
      body[name] = resolved.body?.[name];
    }
  }
  const previousProblems = row.error?.problems as RowProblem[] | undefined;
  ledger.change(row.seq, {
    intent: { ...intent, body },
    ...(problems.length > 0 && {
      state: 'bad' as const,
      error: rowError([...(previousProblems ?? []), ...problems]),
    }),
  });
}

interface CallWithLookups {
  call: { operation: Operation; body: Row };
}

function callsOf({ intent }: LedgerRow, operations: readonly Operation[]): CallWithLookups[] {
  const { body } = intent as Intent;
  return operations
    .map((operation) => ({ call: { operation, body } }))
    .filter(({ call }) => lookupsIn(call).size > 0);
}

/** Looks up each name once at the service, and caches the results. */
class NameLookups {
  readonly #session: Session;
  readonly #results = new Map<string, Map<string, string | Failure>>();

  constructor(session: Session) {
    this.#session = session;
  }

  async load(calls: readonly { operation: Operation; body: Row }[]): Promise<void> {
    const lookupsByTarget = new Map<string, Set<string>>();
    for (const call of calls) {
      for (const [target, lookups] of lookupsIn(call)) {
        const cached = this.#results.get(target);
        const uncachedLookups = [...lookups].filter((text) => !cached?.has(text));
        lookupsByTarget.set(target, new Set([...(lookupsByTarget.get(target) ?? []), ...uncachedLookups]));
      }
    }
    for (const [target, lookups] of lookupsByTarget) {
      if (lookups.size === 0) continue;
      const results = await this.#session.names.find(target, [...lookups], { orId: true });
      this.#results.set(target, new Map([...(this.#results.get(target) ?? []), ...results]));
    }
  }

  get(target: string, text: string): string | Failure {
    return this.#results.get(target)?.get(text) ?? text;
  }
}
