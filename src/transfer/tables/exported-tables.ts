/** Finds the tables that an export wrote: the files of a folder, or the sheets of a workbook, each by its name. */

import { readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { type FieldMessages, usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import { allColumns, type LinkColumns, linkColumns, linkKinds } from '../../bulk/links/link-rows.ts';
import type { Api } from '../../contract/api.ts';
import type { Resource } from '../../contract/resource.ts';
import { knownNames } from '../../tables/columns/columns.ts';
import { refuseSpecialFile } from '../../tables/named-file.ts';
import { formsByExtension, type OpenTable, openTable } from '../../tables/open-table.ts';
import { openSource, type Source } from '../../tables/source.ts';
import { sheetNames } from '../../tables/xlsx.ts';

/** What a table contains: records of a resource, or links of them. */
export interface TableContent {
  resource: Resource;
  links?: LinkColumns | undefined;
}

/** A table of an export. */
export interface ExportedTable extends TableContent {
  table: OpenTable;
  /** The name of the file in messages: "The file customers.csv", `The sheet "customers"`. */
  label: string;
  /** The name for lists of problems: `customers.csv`. */
  name: string;
  source: Source;
}

/** The open tables of an export. */
export interface ExportedTables {
  tables: readonly ExportedTable[];
  /** The names of hidden sheets with tables, which aren't read. */
  hidden: readonly string[];
  /** Opens the table of a resource that wasn't chosen; undefined if the export has none. */
  tableOf(resource: Resource): Promise<ExportedTable | undefined>;
  /** Throws a usage failure if a file has changed since it was opened. */
  refuseChanged(): Promise<void>;
  /** Deletes temporary files. */
  close(): Promise<void>;
}

/** A file, or a sheet of one. */
interface Found {
  file: string;
  /** The name without extension, which says what the table contains. */
  title: string;
  /** The name of the file or of the sheet. */
  name: string;
  sheet?: string;
  isHidden?: boolean;
}

/**
 * Opens the tables of an export. `chosen` are the wanted resources; without it every file and sheet has to be a table of
 * an export, so that a misspelled name isn't ignored.
 */
export async function openExported(
  place: string,
  api: Api,
  chosen: readonly Resource[] | undefined,
): Promise<ExportedTables> {
  const sources: Source[] = [];
  const open = async (file: string) => {
    const source = await openSource(file, { stdin: process.stdin });
    sources.push(source);
    return source;
  };
  const close = async () => {
    await Promise.all(sources.map((source) => source.close()));
  };
  try {
    const all = await tablesIn(place, open);
    const found = all.filter(({ isHidden }) => !isHidden);
    const hidden = all.flatMap(({ title, sheet = '', isHidden }) => {
      const content = isHidden ? knownTables(api).get(plainTitle(title)) : undefined;
      return content && (chosen?.includes(content.resource) ?? true) ? sheet : [];
    });
    const opened = async ({ content, ...one }: Found & { content: TableContent }): Promise<ExportedTable> => {
      const source = await open(one.file);
      return { ...content, ...(await openOne(source, content, one)), source, name: one.name };
    };
    const tables: ExportedTable[] = [];
    for (const one of contentsOf(place, found, api, chosen)) tables.push(await opened(one));
    const tableOf = async (resource: Resource) => {
      const one = found.find(({ title }) => plainTitle(title) === resource.command);
      return one && opened({ ...one, content: { resource } });
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

async function openOne(source: Source, { resource, links }: TableContent, { sheet }: Found) {
  const headerNames = links ? new Set(allColumns(links).map(({ name }) => name)) : knownNames(resource);
  const options = { defaultSheet: resource.command, headerNames, hasFlags: false };
  const table = await openTable(source, { ...options, ...(sheet !== undefined && { sheet }) });
  return { table, label: sheet === undefined ? source.label : `The sheet "${sheet}"` };
}

/** Returns the tables of a place without opening them. Throws a usage failure if it can't have any. */
async function tablesIn(place: string, open: (file: string) => Promise<Source>): Promise<Found[]> {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found)
    throw usage(`${place} doesn't exist.`, { hint: 'Use a folder or a workbook that boh export wrote.' });
  if (found.isDirectory()) return filesIn(place);
  if (formsByExtension[extname(place).slice(1).toLowerCase()] === 'xlsx') {
    const { visible, hidden } = await sheetNames(await open(place));
    const found = (sheet: string): Found => ({ file: place, title: sheet, name: `sheet "${sheet}"`, sheet });
    return [...visible.map(found), ...hidden.map((sheet) => ({ ...found(sheet), isHidden: true }))];
  }
  throw usage(`${basename(place)} is neither a folder nor a workbook.`, {
    hint: 'To import one file: boh RESOURCE import FILE',
  });
}

/** Leaves out what is no table, and the lock files of spreadsheet programs. Throws a usage failure for a pipe or a device. */
function filesIn(folder: string): Found[] {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !/^[.~]/.test(entry.name))
    .map(({ name }) => ({ file: join(folder, name), title: basename(name, extname(name)), name }))
    .filter(({ name }) => {
      const extension = extname(name).slice(1).toLowerCase();
      return formsByExtension[extension] !== undefined && extension !== 'txt';
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const { file } of files) refuseSpecialFile(file);
  return files;
}

/** Returns what each table contains. Throws one usage failure for all names that are unknown or occur twice. */
function contentsOf(
  place: string,
  found: readonly Found[],
  api: Api,
  chosen: readonly Resource[] | undefined,
): (Found & { content: TableContent })[] {
  const known = knownTables(api);
  const taken = new Map<string, string>();
  const problems: FieldMessages = Object.create(null);
  const contents = found.flatMap((one) => {
    const title = plainTitle(one.title);
    const content = known.get(title);
    if (!content) {
      if (!chosen)
        problems[one.name] = [
          `isn't the name of a resource or of its links.${didYouMean(title, [...known.keys()])}`,
        ];
      return [];
    }
    if (chosen && !chosen.includes(content.resource)) return [];
    const other = taken.get(title);
    if (other !== undefined) problems[one.name] = [`has the same records as ${other}`];
    taken.set(title, one.name);
    return [{ ...one, content }];
  });
  if (Object.keys(problems).length > 0) {
    throw usage(`${place} has tables that can't be imported; nothing was sent.`, {
      fields: problems,
      hint: 'Rename or remove them, or choose the resources to import: --resource customers,tags',
    });
  }
  if (contents.length > 0) return contents;
  throw usage(`${place} has no exported tables.`, {
    hint: 'Its files or sheets are named after resources: customers.csv',
  });
}

function knownTables({ collections }: Api): Map<string, TableContent> {
  const listed = collections.filter(({ list }) => list !== undefined);
  return new Map(
    listed.flatMap((resource): [string, TableContent][] => [
      [resource.command, { resource }],
      ...linkKinds(resource).map((word): [string, TableContent] => [
        `${resource.command}-${word}`,
        { resource, links: linkColumns(resource, word) },
      ]),
    ]),
  );
}

/** Spreadsheet programs and people change case, spaces and hyphens. */
function plainTitle(title: string): string {
  return title
    .trim()
    .normalize()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-');
}
