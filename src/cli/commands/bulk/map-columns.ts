/** Maps the columns of a file before it is planned: with flags and files, with common synonyms, and with prompts. */

import type { Resource } from '../../../api/contract/resource.ts';
import { replaceFile } from '../../../base/replace-file.ts';
import { shortenValue } from '../../../base/short-value.ts';
import { nearestWord } from '../../../base/suggest.ts';
import { findDocumentLines, lineColumnNames } from '../../../engine/bulk/plan/document-lines.ts';
import { labelInSentence } from '../../../engine/tables/check-file.ts';
import { type ColumnMap, formatColumnMap, readColumnMap } from '../../../engine/tables/columns/column-map.ts';
import { columnsOf, findColumn, normalizeColumnName } from '../../../engine/tables/columns/columns.ts';
import type { ImportOptions } from '../../../engine/tables/columns/options.ts';
import { findFieldBySynonym } from '../../../engine/tables/columns/synonyms.ts';
import type { OpenTable } from '../../../engine/tables/open-table.ts';
import type { Context } from '../../context/context.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import { BackRequested } from '../../prompts/terminal/questions.ts';
import { note } from '../../terminal/messages.ts';

/** A file with columns to map. */
export interface MappedFile {
  resource: Resource;
  table: OpenTable;
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  options: ImportOptions;
  /** The column maps in the files of `--map`. */
  fileMap: ColumnMap;
  /** The file of `--save-map`; false if the caller saves the mapping. */
  saveMap: string | false | undefined;
}

/**
 * Reads the files of `--map`. `isIgnored` returns whether they or `flagMap`, the columns of the flags, ignore a column. The names
 * are normalized; the required ones must be in the file.
 */
export function readColumnMaps(
  { map = [], onlyMapped }: { map?: readonly string[]; onlyMapped?: boolean },
  flagMap: ColumnMap,
) {
  const maps = map.filter((value) => !value.includes('=')).map(readColumnMap);
  const fileMap = new Map(maps.toReversed().flatMap(({ columns }) => [...columns]));
  const trimmedMap = new Map([...fileMap, ...flagMap].map(([name, field]) => [name.trim(), field]));
  return {
    fileMap,
    isIgnored: (name: string) => (trimmedMap.get(name) ?? (onlyMapped ? '' : undefined)) === '',
    mapEncoding: maps.find(({ encoding }) => encoding !== undefined)?.encoding,
    mapNames: [...trimmedMap.keys()].map(normalizeColumnName).filter((name) => name !== ''),
    requiredNames: [...flagMap].flatMap(([name, field]) => (field === '' ? [] : [normalizeColumnName(name)])),
  };
}

/** Returns the options with all mapped columns. Throws `BackRequested` if the user wants to choose another header. */
export async function mapColumns(file: MappedFile, context: Context): Promise<ImportOptions> {
  const { resource, table, label, options, saveMap } = file;
  const names = (table.columns ?? []).filter((name) => name !== '');
  // Headers of tables are trimmed.
  const nameOf = (column: string) => (names.includes(column.trim()) ? column.trim() : column);
  const map = new Map([...options.map].map(([column, field]) => [nameOf(column), field]));
  for (const [column, field] of file.fileMap) {
    const name = nameOf(column);
    const isInFile = table.columns?.includes(name) ?? true;
    if (isInFile && !map.has(name)) map.set(name, field);
  }
  if (options.isOnlyMapped)
    for (const name of table.columns ?? []) if (fieldFor(map, name) === undefined) map.set(name, '');
  const synonyms = synonymsIn(resource, table.columns ? names : await namesInRows(table), map, {
    hasHeader: table.columns !== undefined,
  });
  for (const [column, field] of synonyms) map.set(column, field);
  if (synonyms.size > 0) {
    note(context.streams, `Mapped columns of ${labelInSentence(label)}: ${formatMapping(synonyms)}.`);
  }
  const unknownNames = unknownColumns(resource, table, { ...options, map });
  if (unknownNames.length > 0 && context.streams.interactive && !context.globals.yes) {
    const samples = await sampleValues(table, unknownNames);
    for (let index = 0; index < unknownNames.length; ) {
      const [previous = '', name = ''] = [unknownNames[index - 1], unknownNames[index]];
      const question = {
        name,
        sample: samples.get(name) ?? [],
        canGoBack: index > 0 || table.isHeaderChosen === true,
        resource,
        names,
        map,
      };
      try {
        map.set(name, await askColumn(question, context));
        index++;
      } catch (error) {
        if (!(error instanceof BackRequested) || index === 0) throw error;
        map.delete(previous);
        index--;
      }
    }
    if (saveMap === undefined)
      note(context.streams, 'To save this mapping for the next import: --save-map FILE');
  }
  if (typeof saveMap === 'string') {
    await saveColumnMap(saveMap, map, table);
    note(context.streams, `Column map saved to ${saveMap}. To use it: --map ${saveMap}`);
  }
  return { ...options, map };
}

/** The number of rows of JSON whose names are mapped. */
const maxSampledRows = 2000;

async function namesInRows(table: OpenTable): Promise<string[]> {
  const names = new Set<string>();
  let count = 0;
  for await (const { cells } of table.rows()) {
    for (const name of cells.keys()) names.add(name);
    if (++count >= maxSampledRows) break;
  }
  return [...names];
}

/** Returns the fields of columns whose names are synonyms of a field, unless another column of the header has this field. */
function synonymsIn(
  resource: Resource,
  names: readonly string[],
  map: ColumnMap,
  { hasHeader }: { hasHeader: boolean },
): Map<string, string> {
  const lineNames = lineColumnNames(resource);
  const isColumnName = (name: string) =>
    isFieldColumn(resource, name) || lineNames.includes(normalizeColumnName(name));
  const usedFields = new Set(names.map((name) => normalizeColumnName(fieldFor(map, name) ?? name)));
  const synonyms = new Map<string, string>();
  for (const name of names) {
    if (fieldFor(map, name) !== undefined || isColumnName(name)) continue;
    const field = findFieldBySynonym(resource, name, lineNames);
    const isUsed = hasHeader && (usedFields.has(field ?? '') || usedFields.has(`${field}_id`));
    if (field === undefined || isUsed) continue;
    usedFields.add(field);
    synonyms.set(name, field);
  }
  return synonyms;
}

function unknownColumns(resource: Resource, table: OpenTable, options: ImportOptions): string[] {
  const documentLines = findDocumentLines(resource, table, options);
  return (table.columns ?? []).filter(
    (name) =>
      name !== '' &&
      fieldFor(options.map, name) === undefined &&
      !isFieldColumn(resource, name) &&
      !documentLines?.isLineColumn(name),
  );
}

function fieldFor(map: ColumnMap, name: string): string | undefined {
  return map.get(name) ?? map.get(name.trim());
}

function isFieldColumn(resource: Resource, name: string): boolean {
  return findColumn(resource, name) !== undefined;
}

/** The resource, the columns of the file, and their fields so far. */
interface ColumnQuestion {
  name: string;
  /** Some of its values. */
  sample: readonly string[];
  canGoBack: boolean;
  resource: Resource;
  names: readonly string[];
  map: ColumnMap;
}

/** Returns the first three different values of each column. */
async function sampleValues(
  table: OpenTable,
  columns: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const samples = new Map(columns.map((column) => [column, new Set<string>()]));
  let rowCount = 0;
  for await (const { cells } of table.rows()) {
    for (const [column, values] of samples) {
      const text = String(cells.get(column) ?? '').trim();
      if (text !== '' && values.size < 3) values.add(shortenValue(text));
    }
    if (++rowCount >= 100) break;
  }
  return new Map([...samples].map(([column, values]) => [column, [...values]]));
}

/** Asks which field a column contains. Fields of other columns aren't offered. */
async function askColumn(
  { name, sample, canGoBack, resource, names, map }: ColumnQuestion,
  { streams }: Context,
): Promise<string> {
  const usedFields = new Set(
    names.map((otherName) => normalizeColumnName(fieldFor(map, otherName) ?? otherName)),
  );
  const fields = columnsOf(resource)
    .filter(({ role, isById }) => (role === 'value' || role === 'id') && !isById)
    .filter((column) => !usedFields.has(column.name));
  const candidates = [
    ...fields.map((column) => ({ name: column.name, about: column.field?.traits.description })),
    ...lineColumnNames(resource)
      .filter((lineName) => !usedFields.has(lineName))
      .map((lineName) => ({ name: lineName, about: 'An item of the document' })),
  ];
  const suggestion = nearestWord(
    normalizeColumnName(name),
    candidates.map((candidate) => candidate.name),
  );
  const choices = candidates
    .sort((a, b) => Number(b.name === suggestion) - Number(a.name === suggestion))
    .map(({ name: field, about }) => ({
      value: field,
      label: field,
      ...(about !== undefined && { description: about }),
    }));
  const ignoreChoice = { value: '', label: 'Ignore this column' };
  const entries = suggestion === undefined ? [ignoreChoice, ...choices] : [...choices, ignoreChoice];
  const hint = sample.length === 0 ? undefined : `Its values: ${sample.join(', ')}`;
  return (await promptsFor(streams)).pick({
    message: `Which field does the column "${name}" contain?`,
    ...{ hint, canGoBack, entries },
  });
}

/** Writes the mapping of a file's columns, and its encoding, to a file for `--map`. */
export async function saveColumnMap(
  path: string,
  map: ColumnMap,
  { columns = [], encoded }: OpenTable,
): Promise<void> {
  const encoding = encoded && !/^utf/.test(encoded.encoding) ? encoded.encoding : undefined;
  const usedColumns = new Map(
    [...map].filter(([column]) => columns.length === 0 || columns.includes(column)),
  );
  await replaceFile(path, formatColumnMap({ columns: usedColumns, encoding }));
}

/** Returns the mapping as text: `Mobile to phone, Date of Birth to birth_date`. */
function formatMapping(map: ColumnMap): string {
  return [...map].map(([column, field]) => `${column.trim()} to ${field}`).join(', ');
}
