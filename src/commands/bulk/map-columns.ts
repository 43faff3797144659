/** Maps the columns of a file before it is planned: by flags and files, by common synonyms, and by asking on a terminal. */
import { nearest } from '../../base/suggest.ts';
import { documentLinesIn, lineColumnNames } from '../../bulk/plan/document-lines.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { pick } from '../../prompts/terminal/prompts.ts';
import { fixedEntries } from '../../prompts/terminal/questions.ts';
import { type ColumnMap, columnMapText, readColumnMap } from '../../tables/columns/column-map.ts';
import { columnNamed, columnsOf, plainName } from '../../tables/columns/columns.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { synonymFor } from '../../tables/columns/synonyms.ts';
import { nameInSentence } from '../../tables/named-file.ts';
import type { OpenTable } from '../../tables/open-table.ts';
import { replaceFile } from '../../tables/replace-file.ts';
import { note } from '../../terminal/messages.ts';

/** A file whose columns are mapped. */
export interface MappedFile {
  resource: Resource;
  table: OpenTable;
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  options: ImportOptions;
  /** The files of `--map`. */
  mapFiles: readonly string[];
  /** The file of `--save-map`. */
  saveMap: string | undefined;
}

/** Returns the options with all mapped columns. Throws a usage failure if a --map file isn't a valid column map. */
export async function withMappedColumns(file: MappedFile, context: Context): Promise<ImportOptions> {
  const { resource, table, label, options, saveMap } = file;
  const names = (table.columns ?? []).filter((name) => name !== '');
  const map = new Map(options.map);
  for (const [column, field] of file.mapFiles.flatMap((path) => [...readColumnMap(path)])) {
    const isInFile = table.columns === undefined || names.some((name) => name.trim() === column.trim());
    if (isInFile && !map.has(column)) map.set(column, field);
  }
  const synonyms = synonymsIn(resource, names, map);
  for (const [column, field] of synonyms) map.set(column, field);
  if (synonyms.size > 0) {
    note(context.streams, `Mapped columns of ${nameInSentence(label)}: ${mappingText(synonyms)}.`);
  }
  const unknown = unknownIn(resource, table, { ...options, map });
  if (unknown.length > 0 && context.streams.interactive && !context.globals.yes) {
    for (const name of unknown) map.set(name, await askColumn(name, { resource, names, map }, context));
    if (saveMap === undefined)
      note(context.streams, 'To save this mapping for the next import: --save-map FILE');
  }
  if (saveMap !== undefined) await save(saveMap, map, names, context);
  return { ...options, map };
}

/** Maps columns whose names are known synonyms of a field no other column uses. */
function synonymsIn(resource: Resource, names: readonly string[], map: ColumnMap): Map<string, string> {
  const lineNames = lineColumnNames(resource);
  const isKnown = (name: string) => isNamed(resource, name) || lineNames.includes(plainName(name));
  const taken = new Set(names.map((name) => plainName(mapped(map, name) ?? name)));
  const found = new Map<string, string>();
  for (const name of names) {
    if (mapped(map, name) !== undefined || isKnown(name)) continue;
    const field = synonymFor(resource, name, lineNames);
    if (field === undefined || taken.has(field) || taken.has(`${field}_id`)) continue;
    taken.add(field);
    found.set(name, field);
  }
  return found;
}

function unknownIn(resource: Resource, table: OpenTable, options: ImportOptions): string[] {
  const lines = documentLinesIn(resource, table, options);
  return (table.columns ?? []).filter(
    (name) =>
      name !== '' &&
      mapped(options.map, name) === undefined &&
      !isNamed(resource, name) &&
      !lines?.isLineColumn(name),
  );
}

function mapped(map: ColumnMap, name: string): string | undefined {
  return map.get(name) ?? map.get(name.trim());
}

function isNamed(resource: Resource, name: string): boolean {
  return columnNamed(resource, name) !== undefined;
}

interface Asking {
  resource: Resource;
  names: readonly string[];
  map: ColumnMap;
}

/** Asks which field a column is. Fields that other columns use are not offered. */
async function askColumn(
  name: string,
  { resource, names, map }: Asking,
  { streams }: Context,
): Promise<string> {
  const taken = new Set(names.map((other) => plainName(mapped(map, other) ?? other)));
  const fields = columnsOf(resource)
    .filter(({ role, isById }) => (role === 'value' || role === 'id') && !isById)
    .filter((column) => !taken.has(column.name));
  const all = [
    ...fields.map((column) => ({ name: column.name, about: column.field?.traits.about })),
    ...lineColumnNames(resource)
      .filter((each) => !taken.has(each))
      .map((each) => ({ name: each, about: 'An item of the document' })),
  ];
  const likely = nearest(
    plainName(name),
    all.map((each) => each.name),
  );
  const choices = all
    .sort((one, other) => Number(other.name === likely) - Number(one.name === likely))
    .map(({ name: field, about }) => ({
      value: field,
      label: field,
      ...(about !== undefined && { description: about }),
    }));
  const ignore = { value: '', label: 'Ignore this column' };
  const entries = fixedEntries(likely === undefined ? [ignore, ...choices] : [...choices, ignore]);
  return pick(streams, { message: `Which field is the column "${name}"?`, entries });
}

async function save(
  path: string,
  map: ColumnMap,
  names: readonly string[],
  { streams }: Context,
): Promise<void> {
  const used = new Map([...map].filter(([column]) => names.length === 0 || names.includes(column)));
  await replaceFile(path, columnMapText(used));
  note(streams, `Column map saved to ${path}. To use it: --map ${path}`);
}

/** Returns the mapping as text: `Mobile to phone, Date of Birth to birth_date`. */
function mappingText(map: ColumnMap): string {
  return [...map].map(([column, field]) => `${column.trim()} to ${field}`).join(', ');
}
