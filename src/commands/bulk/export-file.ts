/** The file of an export: the flags that describe it, and the functions that write it or standard output. */

import { extname } from 'node:path';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { TextOptions } from '../../bulk/export/cells.ts';
import type { ExportFacts, ExportResult } from '../../bulk/export/export-rows.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { type ListFlags, readQuery } from '../../input/list-query.ts';
import type { Result } from '../../output/result.ts';
import { steadyHeap } from '../../output/steady-heap.ts';
import { replaceFile } from '../../tables/replace-file.ts';
import type { TableForm } from '../../tables/table.ts';
import { workbookBytes } from '../../tables/workbook/book-bytes.ts';
import { csvCell, guardedCell, plainCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { progress } from '../../terminal/progress.ts';
import type { Command } from '../command.ts';
import { addFilterFlags, givenValues } from '../flags/field-flags.ts';
import { anyAccountOption } from '../flags/shared-flags.ts';

/** The flags of an export as they were typed. */
export interface ExportFlags extends Pick<ListFlags, 'filter' | 'sort'> {
  to?: string;
  ids?: boolean;
  columns?: string;
  spreadsheet?: boolean;
  since?: string;
  anyAccount?: boolean;
}

/** Returns `--ids`. */
export function idsOption(): Option {
  return new Option('--ids', 'write related records by ID instead of by name');
}

/** Returns `--spreadsheet`. */
export function spreadsheetOption(): Option {
  return new Option('--spreadsheet', 'write CSV for spreadsheets: with a byte order mark and CRLF');
}

/** Adds the flags of an export. With `isOfLinks` those that are only for records are left out. */
export function addExportFlags(command: Command, operation: Operation, { isOfLinks = false } = {}): void {
  addFilterFlags(command, operation.resource.filters);
  const ofRecords = [
    new Option('--columns <names>', 'export these columns, plus id and updated_at'),
    new Option('--sort <fields>', 'sort by these fields; -FIELD for descending'),
    new Option(
      '--since <file>',
      'export only changes since the last export with this file, including deletions',
    ),
  ];
  const options = [
    new Option('--to <file>', 'write to this file (default: standard output)'),
    ...(isOfLinks ? [] : ofRecords),
    idsOption(),
    spreadsheetOption(),
  ];
  command.group('File:', ...options);
  if (!isOfLinks) command.addOption(anyAccountOption('with --since: use the file of another account'));
}

/** Returns the filters and the order that the flags give. Throws a `usage` failure with all problems. */
export function readExportQuery(
  command: Command,
  { resource }: Operation,
  { filter, sort }: ExportFlags,
  { now, globals }: Context,
) {
  const filters = givenValues(
    command,
    resource.filters.map(({ name }) => name),
  );
  const given = { filter, filters, ...(sort !== undefined && { sort }) };
  return readQuery(resource, given, now(), globals.unchecked ?? false);
}

const forms: Readonly<Record<string, TableForm>> = {
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  xlsx: 'xlsx',
};

/** Returns the format: that of the file's extension, else that of `-o`, of the settings, or CSV. Throws if they disagree. */
export async function formOf(
  { to, spreadsheet }: Pick<ExportFlags, 'to' | 'spreadsheet'>,
  context: Context,
): Promise<TableForm> {
  const extension = extname(to ?? '')
    .slice(1)
    .toLowerCase();
  const output = context.globals.output;
  const byName = forms[extension];
  const named = output === undefined ? undefined : forms[output];
  if (output !== undefined && named === undefined) {
    throw usage(`An export can't be written as ${output}.`, {
      hint: 'Use -o csv, ndjson or json, or a file that ends with .xlsx.',
    });
  }
  if (byName !== undefined && named !== undefined && byName !== named) {
    throw usage(`-o ${output} and the extension .${extension} are different formats.`);
  }
  if (to !== undefined && byName === undefined && named === undefined) {
    throw usage(`The format can't be derived from the name ${to}.`, {
      hint: 'End it with .csv, .ndjson, .json or .xlsx, or add the format: -o csv',
    });
  }
  const configured =
    output === undefined && byName === undefined ? (await context.settings()).output : undefined;
  const form = byName ?? named ?? forms[configured ?? ''] ?? 'csv';
  if (spreadsheet && form !== 'csv') throw usage('--spreadsheet is only for CSV.');
  return form;
}

/** Returns how cells are written in this format. */
export function textOptions(
  { spreadsheet }: Pick<ExportFlags, 'spreadsheet'>,
  form: TableForm,
): Omit<TextOptions, 'sheet'> {
  return { form, isForSpreadsheets: spreadsheet === true, csvCell, guard: guardedCell, plainCell };
}

interface Delivery {
  /** The file. Undefined for standard output. */
  to: string | undefined;
  form: TableForm;
  /** The noun of a row in messages, singular and plural. */
  one: string;
  several: string;
  context: Context;
}

/** Writes an export to its file, which appears complete or not at all, or to standard output. */
export async function deliver(
  exported: ExportResult,
  { to, form, one, several, context }: Delivery,
): Promise<Result> {
  const texts = watched(exported, several, context);
  if (to === undefined) return { kind: 'texts', texts, end: () => reportMissing(exported.facts(), context) };
  await replaceFile(to, form === 'xlsx' ? await workbookBytes(texts) : texts);
  const { rows } = exported.facts();
  reportMissing(exported.facts(), context);
  return {
    kind: 'nothing',
    notes: [`Wrote ${numeral(rows)} ${rows === 1 ? one : several} to ${to}.`],
  };
}

/** An export that is one of several: a sheet of a workbook, or a file in a folder. */
export interface TableExport extends Pick<Delivery, 'one' | 'several'> {
  /** The name of the sheet, and of the file with hyphens for spaces. */
  title: string;
  exported: ExportResult;
}

/** Writes a workbook with a sheet for each export. The file appears complete or not at all. */
export async function deliverBook(
  exports: readonly TableExport[],
  { to, context }: Pick<Delivery, 'to' | 'context'> & { to: string },
): Promise<Result> {
  async function* texts() {
    for (const { several, exported } of exports) yield* watched(exported, several, context);
  }
  await replaceFile(to, workbookBytes(texts()));
  for (const { exported } of exports) reportMissing(exported.facts(), context);
  const sheets = exports.map(({ title, exported }) => `${title} ${numeral(exported.facts().rows)}`);
  const count = sheets.length === 1 ? '1 sheet' : `${sheets.length} sheets`;
  return { kind: 'nothing', notes: [`Wrote ${count} to ${to}: ${sheets.join(', ')}.`] };
}

async function* watched(
  { texts, facts }: ExportResult,
  several: string,
  context: Context,
): AsyncGenerator<string> {
  const keepSteady = steadyHeap(context);
  const shown = progress(context.streams, { label: `Reading ${several}` });
  let before = 0;
  try {
    for await (const text of texts) {
      const { rows } = facts();
      keepSteady(rows - before);
      before = rows;
      shown.update(rows);
      yield text;
    }
  } finally {
    shown.done();
  }
}

/** Reports fields that the service doesn't show: their columns are missing, which an import takes as "leave unchanged". */
function reportMissing({ missing }: ExportFacts, { streams }: Context): void {
  if (missing.length === 0) return;
  const what = missing.length === 1 ? 'Column' : 'Columns';
  note(streams, `${what} skipped, because the service doesn't return them: ${missing.join(', ')}.`);
}
