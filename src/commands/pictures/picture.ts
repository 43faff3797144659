/** Runs the commands that draw pictures: parses filters, reads all records, and prints sentences, a drawing or a page. */

import { join } from 'node:path';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { openInBrowser } from '../../base/open-in-browser.ts';
import { replaceFile } from '../../base/replace-file.ts';
import { createTemporaryFolder } from '../../base/temporary-folder.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { fieldsToInclude } from '../../contract/include.ts';
import { requireOperation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { parseListQuery } from '../../input/list-query.ts';
import { createAction } from '../../output/present.ts';
import type { DataResult, DisplayOptions, Result } from '../../output/result.ts';
import { messageResult } from '../../output/result.ts';
import { type HtmlPage, renderHtmlPage } from '../../pictures/page.ts';
import { MissingFields } from '../../session/missing-fields.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { isolateText } from '../../terminal/isolate.ts';
import { warn } from '../../terminal/messages.ts';
import { startProgress } from '../../terminal/progress.ts';
import { type Column, renderTable } from '../../terminal/table.ts';
import type { ShownRow } from '../../terminal/value-at.ts';
import { wrapWords } from '../../terminal/width.ts';
import type { Command } from '../command.ts';
import { addFilterFlags, flagValues } from '../flags/field-flags.ts';

/** The definition of a command that draws a picture. */
export interface PictureCommand<Flags extends PictureFlags> {
  command: Command;
  context: Context;
  /** The resource that the filters apply to. */
  filteredResource: Resource;
  example: string;
  /** Draws the picture with the flags and operands of the command line. */
  draw(flags: Flags, filterFlags: FilterFlags, operands: readonly string[]): Promise<Picture>;
}

/** Adds the flags and the action of a picture to its command. */
export function addPictureAction<Flags extends PictureFlags>(picture: PictureCommand<Flags>): void {
  const { command, context, filteredResource, example, draw } = picture;
  addFilterFlags(command, filteredResource.filters);
  command.group(
    'Output:',
    new Option('--open', 'open in the browser'),
    new Option('--plain', 'print sentences, for screen readers and files'),
  );
  command.examples(example);
  command.action(
    createAction(context, () => {
      const flags = command.opts<Flags>();
      const filters = flagValues(
        command,
        filteredResource.filters.map(({ name }) => name),
      );
      return showPicture(context, flags, () => draw(flags, { filters, filter: flags.filter }, command.args));
    }),
  );
}

/** The flags of every picture, not yet validated. */
export interface PictureFlags {
  plain?: boolean;
  open?: boolean;
  filter?: readonly string[];
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
  /** Returns the drawing as lines that are safe to print. */
  drawLines(display: DisplayOptions): string[];
  /** Returns the drawing as safe HTML. */
  drawHtml(): string;
}

/** Shows a picture, in sentences with `--plain` or if the terminal supports only ASCII. */
async function showPicture(
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
