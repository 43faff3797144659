/** The parts that all pictures share: their flags, the records and lines of documents, tables, and the output. */

import { join } from 'node:path';
import type { Row } from '../../../account/client/shape.ts';
import { MissingFields } from '../../../account/session/missing-fields.ts';
import { apiOf } from '../../../api/contract/api.ts';
import { fieldsToInclude } from '../../../api/contract/include.ts';
import { requireOperation } from '../../../api/contract/operation.ts';
import type { PictureLines } from '../../../api/contract/pictures.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { wordOf } from '../../../api/contract/value-text.ts';
import { usage } from '../../../base/errors.ts';
import { toNumber } from '../../../base/number-text.ts';
import { openInBrowser } from '../../../base/open-in-browser.ts';
import { replaceFile } from '../../../base/replace-file.ts';
import { createTemporaryFolder } from '../../../base/temporary-folder.ts';
import type { Context } from '../../context/context.ts';
import { parseListQuery } from '../../input/list-query.ts';
import { type DataResult, type DisplayOptions, messageResult, type Result } from '../../output/result.ts';
import { type HtmlPage, renderHtmlPage } from '../../pictures/page.ts';
import { cleanLine, isolateText } from '../../terminal/clean.ts';
import { warn } from '../../terminal/messages.ts';
import { startProgress } from '../../terminal/progress.ts';
import { type Column, renderTable } from '../../terminal/table.ts';
import type { ShownRow } from '../../terminal/value-at.ts';
import { wrapWords } from '../../terminal/width.ts';
import { filterFlags, flagValues } from '../flags/contract-flags.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';

/** Returns the flags of a picture: filters of a resource, and the output. */
export const pictureFlags = ({ filters }: Resource) =>
  [
    ...filterFlags(filters),
    ...under('Output:', [
      ['--open', 'open in the browser'],
      ['--plain', 'print sentences, for screen readers and files'],
    ]),
  ] as const;

/** The flags of every picture, not yet validated. */
export type PictureFlags = FlagsOf<ReturnType<typeof pictureFlags>>;

export function filtersIn(flags: PictureFlags, { filters }: Resource): FilterFlags {
  const names = filters.map(({ name }) => name);
  return { filters: flagValues(flags, names), filter: flags.filter };
}

/** The filters of a command line. */
export interface FilterFlags {
  /** The values of the filters, by name, not yet parsed. */
  filters: readonly { name: string; values: string[] }[];
  filter?: readonly string[] | undefined;
}

/** The records to read for a picture. */
export interface PictureRequest extends FilterFlags {
  /** Relations to read in full, if the token allows it. */
  optional: readonly string[];
}

/** Reads all records that match the filters: a picture of a part would be wrong. */
export async function readAllRecords(
  context: Context,
  resource: Resource,
  request: PictureRequest,
): Promise<Row[]> {
  const list = requireOperation(resource, 'list');
  const { filters, filter = [], optional } = request;
  const query = await parseListQuery(
    resource,
    { filters, filter },
    context.now(),
    context.globals.unchecked ?? false,
  );
  const session = await context.session();
  await session.permissions.checkPermission({ operation: list });
  const missing = new MissingFields();
  const resolvedQuery = await session.names.resolveFilters(resource, {
    ...query,
    optional: fieldsToInclude(resource, optional),
    onMissing: missing.of(resource),
  });
  const readProgress = startProgress(context.streams, {
    label: `Reading ${resource.nouns}`,
    showAfterMs: 400,
  });
  const rows: Row[] = [];
  try {
    const listReading = session.list({ operation: list, query: resolvedQuery }, {});
    for await (const batch of listReading.batches()) {
      rows.push(...batch);
      readProgress.update(rows.length, listReading.summary().total);
    }
  } finally {
    readProgress.done();
  }
  missing.throwIfAny('The picture would be wrong.');
  return rows;
}

/** A picture in all output formats. */
export interface Picture {
  title: string;
  data: unknown;
  rows?: readonly unknown[];
  /** The field that identifies a row. */
  key?: string;
  /** The whole picture in sentences. */
  sentences: readonly string[];
  drawLines(display: DisplayOptions): string[];
  drawHtml(): string;
}

/** Shows a picture, in sentences with `--plain` or if the terminal supports only ASCII. */
export async function showPicture(
  context: Context,
  flags: PictureFlags,
  drawPicture: () => Promise<Picture>,
): Promise<Result> {
  const { globals } = context;
  if (flags.open && (flags.plain || globals.output !== undefined)) {
    throw usage(`--open can't be used with ${flags.plain ? '--plain' : '-o'}.`);
  }
  const { title, data, rows, key, sentences, drawLines, drawHtml } = await drawPicture();
  if (flags.open) {
    return openPicture(context, { title, drawing: drawHtml(), sentences });
  }
  const result: DataResult = {
    kind: 'data',
    data,
    ...(rows && { rows }),
    ...(key !== undefined && { idField: key }),
    isForPeople: flags.plain === true,
    text: (display) =>
      (flags.plain || !display.unicode ? formatSentences(sentences, display) : drawLines(display))
        .map((line) => `${line}\n`)
        .join(''),
  };
  return result;
}

/** Writes the page to a temporary file and opens it. Warns if no browser can be started. */
async function openPicture({ streams }: Context, page: HtmlPage): Promise<Result> {
  const path = join(createTemporaryFolder('picture').keep(), 'picture.html');
  await replaceFile(path, renderHtmlPage(page), { newFileMode: 0o600 });
  await openInBrowser(path, () => warn(streams, "Couldn't start a browser."));
  return messageResult(`The page is in ${path}.`);
}

/** Returns the lines of a table that is safe to print. */
export function formatTable(
  display: DisplayOptions,
  columns: readonly Column[],
  rows: readonly ShownRow[],
): string[] {
  const { text } = renderTable(columns, rows, { ...display, isolate: display.isTerminal && display.unicode });
  return text.trimEnd().split('\n');
}

/** Returns sentences that are safe to print, wrapped on a terminal. */
export function formatSentences(
  sentences: readonly string[],
  { width, unicode, isTerminal }: DisplayOptions,
): string[] {
  const cleanLines = sentences.map((line) => cleanLine(line));
  if (!isTerminal) return cleanLines;
  return cleanLines
    .flatMap((line) => wrapWords(line, width))
    .map((line) => (unicode ? isolateText(line) : line));
}

/** Returns the value if it is a string, else null. */
export function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A line of a document, with the properties of the document that pictures need. */
interface DocumentLine {
  /** The ID of the record that the line is about. */
  item: string;
  /** The quantity or the cost in the line. */
  number: number;
  /** The data of the link between the document and the item. */
  linkFields: Row;
  /** The ID of the document; the fields below are also the document's. */
  id: string;
  title: string | null;
  day: string | null;
  /** Whether the document is in its final state. */
  isDone: boolean;
  branch: { id: string; name: string } | null;
}

export function documentResourceOf(resource: Resource, { documents }: PictureLines): Resource {
  const target = apiOf(resource).resource(documents);
  if (!target) throw new Error(`there are no ${documents}`);
  return target;
}

/** Reads the lines of all documents that match the filters. */
export async function readLines(
  context: Context,
  resource: Resource,
  definition: PictureLines,
  request: Omit<PictureRequest, 'optional'>,
): Promise<DocumentLine[]> {
  const documents = documentResourceOf(resource, definition);
  const rows = await readAllRecords(context, documents, {
    ...request,
    optional: [definition.branch, definition.lines],
  });
  const names = await namesOf(context, documents, definition.branch);
  const { fields, title } = documents;
  const stateField = fields[definition.final.field];
  return rows.flatMap((row) => {
    const branch = row[definition.branch] as Row | null | undefined;
    const id = branch?.id ?? row[`${definition.branch}_id`];
    const name = title === undefined ? null : row[title];
    const day = row[definition.day];
    const document = {
      id: String(row.id),
      title: typeof name === 'string' ? name : null,
      day: typeof day === 'string' ? day.slice(0, 10) : null,
      isDone:
        stateField !== undefined && wordOf(stateField, row[definition.final.field]) === definition.final.word,
      branch: id == null ? null : { id: String(id), name: nameOf(branch ?? { id }, names) },
    };
    const documentLines = row[definition.lines];
    return (Array.isArray(documentLines) ? (documentLines as Row[]) : []).flatMap((line): DocumentLine[] => {
      const linkFields = (line.pivot ?? {}) as Row;
      const number = numberOrNull(linkFields[definition.number]);
      return number === null ? [] : [{ ...document, item: String(line.id), number, linkFields }];
    });
  });
}

/** Returns the value as a number; strings are parsed, because the API document uses both. Null for other values. */
export function numberOrNull(value: unknown): number | null {
  return toNumber(value) ?? null;
}

/** The names of related records, by ID. */
export type NamesById = ReadonlyMap<string, string>;

/** Returns the names of records that the API doesn't list, such as branches. Empty for other fields. */
export async function namesOf(
  { api, session }: Context,
  { fields }: Resource,
  field: string,
): Promise<NamesById> {
  const target = fields[field]?.traits.target;
  if (target === undefined || !api.reference(target)?.isNamed) return new Map();
  const references = await (await session()).names.references(target);
  return new Map(references.map(({ id, name }) => [id, name]));
}

export function nameOf(record: Row, names: NamesById): string {
  const { id, name } = record;
  return typeof name === 'string' && name !== '' ? name : (names.get(String(id)) ?? String(id));
}
