/** Reads all files under the given paths into one declaration, with all mistakes in them. Sends nothing. */

import { Readable } from 'node:stream';
import { isRow } from '../../../account/session/row.ts';
import type { Api } from '../../../api/contract/api.ts';
import type { Field } from '../../../api/contract/field.ts';
import { nestedFields } from '../../../api/contract/operation.ts';
import { withPhonesNormalized } from '../../../api/contract/phone-numbers.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { withArticle } from '../../../api/contract/wording.ts';
import type { Environment } from '../../../base/environment.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { formatHint } from '../../../base/hint.ts';
import { detectFormats } from '../../bulk/plan/detect-formats.ts';
import { type Column, columnNamesOf } from '../../tables/columns/columns.ts';
import { suspectTextProblem } from '../../tables/columns/damage.ts';
import { matchHeader } from '../../tables/columns/match-header.ts';
import { isEmptyText } from '../../tables/columns/normalize-cell-text.ts';
import { type CellReadOptions, cellDisplayText, parseCell } from '../../tables/columns/table-cell.ts';
import { openInputFile } from '../../tables/input-file.ts';
import { openTable } from '../../tables/open-table.ts';
import { isSpreadsheetFormat, nullCell, type TableRow, unreadableCells } from '../../tables/table.ts';
import { findFiles, type Layer, type ManifestFile } from '../source/files.ts';
import { Mistakes, Pauses } from '../source/mistakes.ts';
import { type FileLocation, plainLocation } from '../source/node.ts';
import { parseYaml } from '../source/parse-yaml.ts';
import { type CheckedRecord, checkRecord } from './check-record.ts';
import { type Declaration, type Declared, type DeclaredValue, keyFingerprint } from './declared.ts';
import { type ManifestField, manifestFields } from './fields.ts';
import { defaultKey } from './parse-key.ts';
import { duplicateMessage, parseTree, type RecordParseContext } from './parse-records.ts';
import { Ref } from './ref.ts';

export interface ManifestReadOptions {
  paths: readonly string[];
  api: Api;
  env: Environment;
  stdin: NodeJS.ReadableStream;
  /** Removes the prefix that an export adds to cells that spreadsheets would run as formulas. */
  unguardCell(text: string): string;
  /** Whether phone numbers are normalized to digits. */
  normalizesPhones?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

/** Reads the manifests. Throws `usage` if files can't be read or are empty. Mistakes are in `errors`. */
export async function readManifests(options: ManifestReadOptions): Promise<Declaration> {
  return readLayers(await findFiles(options.paths, options.api, options.stdin), options);
}

/** Reads the texts of manifests. Variables of the environment aren't expanded. */
export function readManifestTexts(
  texts: readonly string[],
  options: Pick<ManifestReadOptions, 'api' | 'signal'>,
): Promise<Declaration> {
  const paths = texts.map((_, index) => `manifest ${index + 1}`);
  const layers = texts.map((text, index) => {
    const file = paths[index] ?? '';
    return { path: file, files: [{ file, format: 'text' as const, resource: undefined, text }] };
  });
  return readLayers(layers, { ...options, paths, env: {}, unguardCell: (text) => text });
}

async function readLayers(
  layers: readonly Layer[],
  { paths, api, env, unguardCell, normalizesPhones = false, signal }: Omit<ManifestReadOptions, 'stdin'>,
): Promise<Declaration> {
  const pauses = new Pauses(signal);
  const mistakes = new Mistakes();
  const resources = new Set<Resource>();
  const notes: string[] = [];
  const unreadableResources = new Set<Resource>();
  let isIncomplete = false;
  let records = new Map<string, Declared>();
  for (const { files } of layers) {
    const layerRecords = new Map<string, Declared>();
    for (const file of files) {
      const contents = await readFile(file, { api, env, unguardCell, pauses });
      mistakes.addAll(contents.mistakes);
      notes.push(...contents.notes);
      isIncomplete ||= contents.isIncomplete;
      for (const resource of contents.unreadableResources) unreadableResources.add(resource);
      for (const resource of contents.resources) resources.add(resource);
      for (const declared of contents.records) {
        const record = normalizesPhones ? normalizePhones(declared, mistakes) : declared;
        const key = keyFingerprint(record);
        const earlier = layerRecords.get(key);
        if (earlier) mistakes.add(record.location, duplicateMessage(record, earlier));
        else layerRecords.set(key, record);
        if (pauses.isDue) await pauses.pause();
      }
    }
    if (records.size === 0) records = layerRecords;
    else for (const [key, record] of layerRecords) records.set(key, mergeRecords(records.get(key), record));
  }
  if (resources.size === 0) {
    mistakes.throwIfAny();
    throw usage(`The files are empty: ${paths.join(', ')}.`, {
      hint: 'A manifest lists the records of resources, for example suppliers: [{ name: Fresh Farms }].',
    });
  }
  return {
    records: [...records.values()].map((record) => (record.isAbsent ? withKeyOnly(record) : record)),
    resources: [...resources],
    notes,
    ...(mistakes.count > 0 && {
      errors: { mistakes, unreadableResources: isIncomplete ? 'all' : unreadableResources },
    }),
  };
}

interface DeclaredFile {
  mistakes: Mistakes;
  resources: Set<Resource>;
  records: Declared[];
  notes: string[];
  /** The resources of records that could not be read. */
  unreadableResources: Set<Resource>;
  /** Whether parts of the file could not be parsed, which may declare any record. */
  isIncomplete: boolean;
}

async function readFile(
  { file, format, resource, text }: ManifestFile,
  {
    api,
    env,
    unguardCell,
    pauses,
  }: Pick<ManifestReadOptions, 'api' | 'env' | 'unguardCell'> & { pauses: Pauses },
): Promise<DeclaredFile> {
  const mistakes = new Mistakes();
  const unreadableResources = new Set<Resource>();
  const contents: DeclaredFile = {
    mistakes,
    resources: new Set(),
    records: [],
    notes: [],
    unreadableResources,
    isIncomplete: false,
  };
  const checkedRecords: CheckedRecord[] = [];
  const context = {
    api,
    mistakes,
    onResource: (resource: Resource) => void contents.resources.add(resource),
    onRecord: (checkedRecord: CheckedRecord) => void checkedRecords.push(checkedRecord),
    onUnreadable: (resource: Resource) => void unreadableResources.add(resource),
  };
  if (format === 'table' && resource) {
    const onNote = (note: string) => void contents.notes.push(note);
    await readTable(file, resource, { ...context, unguardCell, onNote });
  } else {
    const { trees, isIncomplete } = await parseYaml({ file, text }, { env, pauses }, mistakes);
    contents.isIncomplete = isIncomplete;
    for (const node of trees) parseTree(node, resource, context);
  }
  for (const checkedRecord of checkedRecords) {
    checkRecord(checkedRecord, mistakes);
    contents.records.push(checkedRecord.record);
    await pauses.pauseIfDue();
  }
  return contents;
}

/** Merges two declarations of a record: fields of the later path override those of the earlier one. */
function mergeRecords(earlier: Declared | undefined, later: Declared): Declared {
  if (!earlier) return later;
  const isAbsent = later.isAbsent ?? earlier.isAbsent;
  return {
    ...later,
    ...(isAbsent !== undefined && { isAbsent }),
    ...((earlier.isBroken || later.isBroken) && { isBroken: true }),
    oldKey: later.oldKey ?? earlier.oldKey,
    isExact: later.isExact ?? earlier.isExact,
    values: new Map([...earlier.values, ...later.values]),
  };
}

/** Returns a record that is declared absent without values that don't identify it. */
function withKeyOnly(record: Declared): Declared {
  const values = [...record.values].filter(([name]) => record.key.some((part) => part.name === name));
  return { ...record, values: new Map(values) };
}

/** Normalizes phone numbers. A calling code that contradicts the record's own is added to the mistakes. */
function normalizePhones(record: Declared, mistakes: Mistakes): Declared {
  const fields = manifestFields(record.resource);
  const values = Object.fromEntries([...record.values].map(([name, { value }]) => [name, value]));
  const { body, problems } = withPhonesNormalized(
    [...fields.values()].map(({ name, field }) => [name, field] as const),
    values,
  );
  for (const [name, problem] of Object.entries(problems))
    mistakes.add(record.values.get(name)?.location ?? record.location, `${name} ${problem}`);
  const normalizedValues = new Map<string, DeclaredValue>(record.values);
  for (const [name, value] of Object.entries(body)) {
    const field = fields.get(name);
    if (field && value !== values[name])
      normalizedValues.set(name, { location: record.location, ...normalizedValues.get(name), field, value });
  }
  const key = record.key.map((part) => ({ ...part, value: body[part.name] ?? part.value }));
  return { ...record, values: normalizedValues, key };
}

interface TableReadContext extends RecordParseContext {
  /** Removes the prefix that an export adds to cells that spreadsheets would run as formulas. */
  unguardCell(text: string): string;
  /** Called with a note for the user on how the table is read. */
  onNote(note: string): void;
}

/** Reads a table. The column of a location is the number of the cell. Adds problems to the mistakes. */
async function readTable(file: string, resource: Resource, context: TableReadContext): Promise<void> {
  const { mistakes, onResource } = context;
  onResource(resource);
  if (!resource.key.some((name) => manifestFields(resource).has(name))) {
    const message = `is a table of ${resource.nouns}, which have no natural key: declare them in YAML or JSON, with $key`;
    mistakes.add({ file, line: 1, column: 1 }, message);
    context.onUnreadable(resource);
    return;
  }
  try {
    await readEachRow(file, resource, context);
  } catch (error) {
    if (!(error instanceof Failure) || error.category !== 'usage') throw error;
    context.onUnreadable(resource);
    mistakes.add({ file, line: 1, column: 1 }, formatFailure(error));
  }
}

/**
 * Returns a failure as the text of a mistake: the other files are still read, so that all mistakes are reported at
 * once.
 */
function formatFailure({ message, details: { hint, fields } }: Failure): string {
  const parts = [
    message,
    ...Object.values(fields ?? {}).flat(),
    ...(hint === undefined ? [] : [formatHint(hint)]),
  ];
  const text = parts.join(' ').replace(/\.$/, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Reads each row. Throws `usage` if the file is not a table. */
async function readEachRow(file: string, resource: Resource, context: TableReadContext): Promise<void> {
  const { mistakes } = context;
  const source = await openInputFile(file, { stdin: Readable.from([]) });
  const hasFlags = false;
  const headerNames = columnNamesOf(resource);
  const table = await openTable(source, {
    headerNames,
    defaultSheet: resource.command,
    hasFlags,
  });
  for (const note of table.notes ?? []) context.onNote(note);
  const options = { map: new Map<string, string>(), isReadOnlyIgnored: true, mode: 'upsert' as const };
  const { columnFor, problems } = matchHeader(resource, options, table.columns);
  const formats = await detectFormats({ table, columnFor, label: source.label, hasFlags });
  const cells = {
    format: table.format,
    formats,
    nullText: nullCell,
    unguardCell: context.unguardCell,
  };
  const rows = new RowReader(resource, columnFor, cells, context);
  let reportedCount = 0;
  for await (const row of table.rows()) {
    const location = new RowLocation(file, row.line, table.columns ?? [...row.cells.keys()]);
    rows.read(row, location);
    for (const { name, message } of problems.slice(reportedCount)) {
      const line = table.columns ? 1 : row.line;
      mistakes.add({ ...plainLocation(location.cell(name)), line }, `${name} ${message.replace(/\.$/, '')}`);
    }
    reportedCount = problems.length;
  }
  await source.refuseChanged();
}

class RowLocation implements FileLocation {
  readonly file: string;
  readonly line: number;
  readonly column = 1;
  readonly #columns: readonly string[];

  constructor(file: string, line: number, columns: readonly string[]) {
    this.file = file;
    this.line = line;
    this.#columns = columns;
  }

  /** Returns the location of a cell, or of the first column for the row as a whole. */
  cell(name = ''): FileLocation {
    const { file, line } = this;
    return { file, line, column: Math.max(0, this.#columns.indexOf(name)) + 1 };
  }
}

class RowReader {
  readonly #resource: Resource;
  readonly #columnFor: (name: string) => Column | undefined;
  readonly #cells: CellReadOptions;
  readonly #context: RecordParseContext;
  readonly #fields: ReadonlyMap<string, ManifestField>;

  constructor(
    resource: Resource,
    columnFor: (name: string) => Column | undefined,
    cells: CellReadOptions,
    context: RecordParseContext,
  ) {
    this.#resource = resource;
    this.#columnFor = columnFor;
    this.#cells = cells;
    this.#context = context;
    this.#fields = manifestFields(resource);
  }

  read(row: TableRow, location: RowLocation): void {
    const { mistakes, onRecord } = this.#context;
    const mistakeCount = mistakes.count;
    for (const { column, what: message } of row.problems) mistakes.add(location.cell(column), message);
    const values = new Map<string, DeclaredValue>();
    const isUnreadable = unreadableCells(row);
    for (const [name, cell] of row.cells) {
      if (isUnreadable(name)) continue;
      const field = this.#fieldIn(name, cell, location);
      const value = field && this.#valueIn(name, cell, field, location);
      if (field && value !== undefined)
        values.set(field.name, { field, value, location: location.cell(name) });
    }
    const resource = this.#resource;
    if (mistakes.count > mistakeCount) {
      this.#context.onUnreadable(resource);
      return;
    }
    const key = defaultKey(resource, values);
    if (key) {
      const record = { resource, location, key: [key], oldKey: undefined, isExact: undefined, values };
      onRecord({ record, node: undefined });
      return;
    }
    this.#context.onUnreadable(resource);
    const keyNames = resource.key.join(' or ');
    mistakes.add(location, `has no ${keyNames}, which identifies ${withArticle(resource.noun)}`);
  }

  /** Returns the declared field of a cell; undefined if the cell doesn't declare a value. */
  #fieldIn(name: string, cell: unknown, location: RowLocation): ManifestField | undefined {
    const { command } = this.#resource;
    const column = this.#columnFor(name);
    if (!column) return undefined;
    const isEmpty =
      isSpreadsheetFormat(this.#cells.format) &&
      typeof cell === 'string' &&
      isEmptyText(cellDisplayText(cell, this.#cells));
    // Commands in a row are for imports only: here each row declares a record.
    if (column.role === 'command' && !isEmpty && cell !== null)
      this.#context.mistakes.add(location.cell(name), `${name} can only be used with boh ${command} import`);
    const field = column.role === 'value' && !isEmpty ? this.#fields.get(column.responseName) : undefined;
    if (!field?.field.traits.secret) return field;
    this.#context.mistakes.add(location.cell(name), `${name} is a secret and can't be in a file`);
    return undefined;
  }

  #valueIn(name: string, cell: unknown, field: ManifestField, location: RowLocation): unknown {
    const column = this.#columnFor(name) as Column;
    const cellValue = parseCell(this.#resource, column, cell, this.#cells);
    const { value } = cellValue;
    const isText = isSpreadsheetFormat(this.#cells.format) && typeof value === 'string';
    const problem = cellValue.problem ?? (isText ? suspectTextProblem(field.field, value) : undefined);
    if (problem === undefined) return replaceNamesWithRefs(value, field, () => location.cell(name));
    this.#context.mistakes.add(location.cell(name), `${name} ${problem}`);
    return undefined;
  }
}

/**
 * Replaces names with references. A cell contains `@NAME`, or an ID, which exports write if the name is ambiguous.
 */
function replaceNamesWithRefs(value: unknown, { field }: ManifestField, locate: () => FileLocation): unknown {
  const { target = '', targetFilter } = field.traits;
  const toRef = (text: string) => {
    const name = text.startsWith('@') ? text.slice(1) : undefined;
    return new Ref(
      target,
      name === undefined ? { kind: 'id', id: text } : { kind: 'text', text: name, orId: true },
      locate(),
      targetFilter,
    );
  };
  if (field.kind === 'one' && typeof value === 'string') return toRef(value);
  if (field.kind !== 'many' || !Array.isArray(value)) return replaceIdsWithRefs(value, field, locate);
  return value.map((link: { id: string }) => ({ ...link, id: toRef(link.id) }));
}

/** Replaces the IDs in a JSON cell with references; JSON cells contain no names. */
function replaceIdsWithRefs(value: unknown, field: Field, locate: () => FileLocation): unknown {
  if (value === null || (typeof value !== 'object' && field.kind !== 'one')) return value;
  const { target = '', targetFilter } = field.traits;
  const toRef = (id: unknown) =>
    typeof id === 'string' && id !== '' ? new Ref(target, { kind: 'id', id }, locate(), targetFilter) : id;
  const replaceInItem = (item: unknown): unknown => {
    if (!isRow(item)) return item;
    if (field.kind === 'many') return { ...item, id: toRef(item.id) };
    const entries = nestedFields(field).filter(({ name }) => Object.hasOwn(item, name));
    const convertedFields = entries.map((entry) => [
      entry.name,
      replaceIdsWithRefs(item[entry.name], entry.field, locate),
    ]);
    return { ...item, ...Object.fromEntries(convertedFields) };
  };
  if (field.kind === 'one') return toRef(value);
  if (field.kind === 'object') return replaceInItem(value);
  const isOfRecords = field.kind === 'many' || field.kind === 'objects';
  return isOfRecords && Array.isArray(value) ? value.map(replaceInItem) : value;
}
