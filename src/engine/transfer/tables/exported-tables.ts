/** Finds the tables that an export wrote: the files of a folder, or the sheets of a workbook, each by its name. */

import { readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Api } from '../../../api/contract/api.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { type FieldMessages, usage } from '../../../base/errors.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { allColumns, type LinkColumns, linkColumnsOf, linkKindsOf } from '../../bulk/links/link-rows.ts';
import { refuseSpecialFile } from '../../tables/check-file.ts';
import { columnNamesOf } from '../../tables/columns/columns.ts';
import { type InputFile, openInputFile } from '../../tables/input-file.ts';
import { formatsByExtension, type OpenTable, openTable } from '../../tables/open-table.ts';
import { sheetNames } from '../../tables/xlsx.ts';

/** The content of a table: the records of a resource, or their links. */
export interface TableContent {
  resource: Resource;
  links?: LinkColumns | undefined;
}

export interface ExportedTable extends TableContent {
  table: OpenTable;
  /** The name of the file in messages: "The file customers.csv", `The sheet "customers"`. */
  label: string;
  /** The name for lists of problems: `customers.csv`. */
  name: string;
  source: InputFile;
}

export interface ExportedTables {
  tables: readonly ExportedTable[];
  /** The names of hidden sheets that contain tables. They aren't read. */
  hidden: readonly string[];
  /** Opens the table of a resource that wasn't chosen. Returns undefined if the export doesn't contain it. */
  tableOf(resource: Resource): Promise<ExportedTable | undefined>;
  /** Throws a usage failure if a file has changed since it was opened. */
  refuseChanged(): Promise<void>;
  /** Deletes temporary files. */
  close(): Promise<void>;
}

/** A file, or a sheet of a workbook. */
interface TableEntry {
  file: string;
  /** The name without extension, which is the name of a resource or of its links. */
  title: string;
  /** The name of the file or of the sheet. */
  name: string;
  sheet?: string;
  isHidden?: boolean;
}

/**
 * Opens the tables of an export. `chosen` are the resources to import. Without it every file and sheet must be a table of an
 * export, so that a misspelled name isn't ignored.
 */
export async function openExportedTables(
  path: string,
  api: Api,
  chosen: readonly Resource[] | undefined,
): Promise<ExportedTables> {
  const sources: InputFile[] = [];
  const open = async (file: string) => {
    const source = await openInputFile(file, { stdin: process.stdin });
    sources.push(source);
    return source;
  };
  const close = async () => {
    await Promise.all(sources.map((source) => source.close()));
  };
  try {
    const entries = await findTables(path, open);
    const visible = entries.filter(({ isHidden }) => !isHidden);
    const hidden = entries.flatMap(({ title, sheet = '', isHidden }) => {
      const content = isHidden ? tablesByTitle(api).get(normalizedTitle(title)) : undefined;
      return content && (chosen?.includes(content.resource) ?? true) ? sheet : [];
    });
    const openEntry = async ({
      content,
      ...entry
    }: TableEntry & { content: TableContent }): Promise<ExportedTable> => {
      const source = await open(entry.file);
      return { ...content, ...(await openTableEntry(source, content, entry)), source, name: entry.name };
    };
    const tables: ExportedTable[] = [];
    for (const entry of matchContents(path, visible, api, chosen)) tables.push(await openEntry(entry));
    const tableOf = async (resource: Resource) => {
      const entry = visible.find(({ title }) => normalizedTitle(title) === resource.command);
      return entry && openEntry({ ...entry, content: { resource } });
    };
    const refuseChanged = async () => {
      for (const source of sources) await source.refuseChanged();
    };
    return { tables, hidden, tableOf, refuseChanged, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openTableEntry(source: InputFile, { resource, links }: TableContent, { sheet }: TableEntry) {
  const headerNames = links ? new Set(allColumns(links).map(({ name }) => name)) : columnNamesOf(resource);
  const options = { defaultSheet: resource.command, headerNames, hasFlags: false };
  const table = await openTable(source, { ...options, ...(sheet !== undefined && { sheet }) });
  return { table, label: sheet === undefined ? source.label : `The sheet "${sheet}"` };
}

/** Lists the tables of a folder or workbook without opening them. Throws a usage failure for other paths. */
async function findTables(path: string, open: (file: string) => Promise<InputFile>): Promise<TableEntry[]> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats)
    throw usage(`${path} doesn't exist.`, { hint: 'Use a folder or a workbook that boh export wrote.' });
  if (stats.isDirectory()) return tableFilesOf(path);
  if (formatsByExtension[extname(path).slice(1).toLowerCase()] === 'xlsx') {
    const { visible, hidden } = await sheetNames(await open(path));
    const entryOf = (sheet: string): TableEntry => ({
      file: path,
      title: sheet,
      name: `sheet "${sheet}"`,
      sheet,
    });
    return [...visible.map(entryOf), ...hidden.map((sheet) => ({ ...entryOf(sheet), isHidden: true }))];
  }
  throw usage(`${basename(path)} is neither a folder nor a workbook.`, {
    hint: 'To import one file: boh RESOURCE import FILE',
  });
}

/**
 * Lists the tables of a folder, without the lock files of spreadsheet programs. Throws a usage failure for a pipe or a
 * device.
 */
function tableFilesOf(folder: string): TableEntry[] {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !/^[.~]/.test(entry.name))
    .map(({ name }) => ({ file: join(folder, name), title: basename(name, extname(name)), name }))
    .filter(({ name }) => {
      const extension = extname(name).slice(1).toLowerCase();
      return formatsByExtension[extension] !== undefined && extension !== 'txt';
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { file } of files) refuseSpecialFile(file);
  return files;
}

/** Returns the content of each table. Throws one usage failure for all names that are unknown or occur twice. */
function matchContents(
  path: string,
  entries: readonly TableEntry[],
  api: Api,
  chosen: readonly Resource[] | undefined,
): (TableEntry & { content: TableContent })[] {
  const contentsByTitle = tablesByTitle(api);
  const nameByTitle = new Map<string, string>();
  const problems: FieldMessages = Object.create(null);
  const contents = entries.flatMap((entry) => {
    const title = normalizedTitle(entry.title);
    const content = contentsByTitle.get(title);
    if (!content) {
      if (!chosen)
        problems[entry.name] = [
          `isn't the name of a resource or of its links.${didYouMean(title, [...contentsByTitle.keys()])}`,
        ];
      return [];
    }
    if (chosen && !chosen.includes(content.resource)) return [];
    const otherName = nameByTitle.get(title);
    if (otherName !== undefined) problems[entry.name] = [`has the same records as ${otherName}`];
    nameByTitle.set(title, entry.name);
    return [{ ...entry, content }];
  });
  if (Object.keys(problems).length > 0) {
    throw usage(`${path} has tables that can't be imported; nothing was sent.`, {
      fields: problems,
      hint: 'Rename or remove them, or choose the resources to import: --resource customers,tags',
    });
  }
  if (contents.length > 0) return contents;
  throw usage(`${path} has no exported tables.`, {
    hint: 'Exported files and sheets are named after resources, such as customers.csv.',
  });
}

function tablesByTitle({ collections }: Api): Map<string, TableContent> {
  const listed = collections.filter(({ list }) => list !== undefined);
  return new Map(
    listed.flatMap((resource): [string, TableContent][] => [
      [resource.command, { resource }],
      ...linkKindsOf(resource).map((linkName): [string, TableContent] => [
        `${resource.command}-${linkName}`,
        { resource, links: linkColumnsOf(resource, linkName) },
      ]),
    ]),
  );
}

/** Normalizes case, spaces and hyphens, which spreadsheet programs and people change. */
function normalizedTitle(title: string): string {
  return title
    .trim()
    .normalize()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-');
}
