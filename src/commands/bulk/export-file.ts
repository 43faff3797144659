/** Writes exports to files or to standard output. Also defines the flags of an export. */

import { extname } from 'node:path';
import { Option } from 'commander';
import { type Failure, usage } from '../../base/errors.ts';
import { replaceFile } from '../../base/replace-file.ts';
import type { FormatOptions } from '../../bulk/export/cells.ts';
import type { ExportResult, ExportSummary } from '../../bulk/export/export-rows.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { type ListFlags, parseListQuery } from '../../input/list-query.ts';
import { createHeapLimiter } from '../../output/heap-limiter.ts';
import type { Result } from '../../output/result.ts';
import { isRefusedList } from '../../session/list.ts';
import { isIncomplete } from '../../session/missing-fields.ts';
import type { TableFormat } from '../../tables/table.ts';
import { workbookBytes } from '../../tables/workbook/book-bytes.ts';
import { formatCount } from '../../terminal/format-count.ts';
import { escapeFormula, formatCsvCell, unescapeFormula } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import { startProgress } from '../../terminal/progress.ts';
import type { Command } from '../command.ts';
import { addFilterFlags, flagValues } from '../flags/field-flags.ts';
import { anyAccountOption } from '../flags/shared-flags.ts';

/** The flags of an export, not yet validated. */
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

/** Adds the flags of an export. With `isOfLinks`, the flags that only apply to records are omitted. */
export function addExportFlags(command: Command, operation: Operation, { isOfLinks = false } = {}): void {
  addFilterFlags(command, operation.resource.filters);
  const recordOptions = [
    new Option('--columns <names>', 'export these columns, plus id and updated_at'),
    new Option('--sort <fields>', 'sort by these fields; -FIELD for descending'),
    new Option(
      '--since <file>',
      'export only changes since the last export with this file, including deletions',
    ),
  ];
  const options = [
    new Option('--to <file>', 'write to this file (default: standard output)'),
    ...(isOfLinks ? [] : recordOptions),
    idsOption(),
    spreadsheetOption(),
  ];
  command.group('File:', ...options);
  if (!isOfLinks) command.addOption(anyAccountOption('with --since: use the file of another account'));
}

/** Parses the filters and the sorting in the flags. Throws a `usage` failure with all problems. */
export function parseExportQuery(
  command: Command,
  { resource }: Operation,
  { filter, sort }: ExportFlags,
  { now, globals }: Context,
) {
  const filters = flagValues(
    command,
    resource.filters.map(({ name }) => name),
  );
  const listFlags = { filter, filters, ...(sort !== undefined && { sort }) };
  return parseListQuery(resource, listFlags, now(), globals.unchecked ?? false);
}

const formatsByName: Readonly<Record<string, TableFormat>> = {
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  xlsx: 'xlsx',
};

/** Returns the format from the file extension, `-o` or the settings, in this order; CSV by default. Throws if the extension and `-o` differ. */
export async function formatOf(
  { to, spreadsheet }: Pick<ExportFlags, 'to' | 'spreadsheet'>,
  context: Context,
): Promise<TableFormat> {
  const extension = extname(to ?? '')
    .slice(1)
    .toLowerCase();
  const output = context.globals.output;
  const fileFormat = formatsByName[extension];
  const flagFormat = output === undefined ? undefined : formatsByName[output];
  if (output !== undefined && flagFormat === undefined) {
    throw usage(`An export can't be written as ${output}.`, {
      hint: 'Use -o csv, ndjson or json, or a file that ends with .xlsx.',
    });
  }
  if (fileFormat !== undefined && flagFormat !== undefined && fileFormat !== flagFormat) {
    throw usage(`-o ${output} and the extension .${extension} are different formats.`);
  }
  if (to !== undefined && fileFormat === undefined && flagFormat === undefined) {
    throw usage(`The format can't be derived from the name ${to}.`, {
      hint: 'End it with .csv, .ndjson, .json or .xlsx, or add the format: -o csv',
    });
  }
  const defaultFormat =
    output === undefined && fileFormat === undefined ? (await context.settings()).output : undefined;
  const format = fileFormat ?? flagFormat ?? formatsByName[defaultFormat ?? ''] ?? 'csv';
  if (spreadsheet && format !== 'csv') throw usage('--spreadsheet is only for CSV.');
  return format;
}

/** Returns the options for writing cells in this format. */
export function textOptions(
  { spreadsheet }: Pick<ExportFlags, 'spreadsheet'>,
  format: TableFormat,
): Omit<FormatOptions, 'sheet'> {
  return {
    format,
    isForSpreadsheets: spreadsheet === true,
    csvCell: formatCsvCell,
    escapeFormula,
    unescapeFormula,
  };
}

/** Where several exports are written: a workbook or a folder. */
export interface WorkbookTarget {
  to: string;
  context: Context;
  /** Called for a list that the service refuses. May throw its failure. */
  onRefused(tableExport: TableExport, failure: Failure): void;
}

/** Where an export is written, and what its rows are called. */
interface ExportTarget {
  /** The file. Undefined for standard output. */
  to: string | undefined;
  format: TableFormat;
  /** The noun of a row in messages, singular and plural. */
  noun: string;
  nouns: string;
  context: Context;
}

/** Writes an export to a file or to standard output. The file is written completely or not at all. */
export async function writeExport(
  exportResult: ExportResult,
  { to, format, noun, nouns, context }: ExportTarget,
): Promise<Result> {
  const chunks = withProgress(exportResult, nouns, context);
  if (to === undefined)
    return {
      kind: 'text-stream',
      chunks,
      end: () => reportMissingColumns(exportResult.summary(), context),
    };
  await replaceFile(to, format === 'xlsx' ? await workbookBytes(chunks) : chunks);
  const { rows } = exportResult.summary();
  reportMissingColumns(exportResult.summary(), context);
  return {
    kind: 'nothing',
    notes: [`Wrote ${formatCount(rows)} ${rows === 1 ? noun : nouns} to ${to}.`],
  };
}

/** One of several exports: a sheet of a workbook, or a file in a folder. */
export interface TableExport extends Pick<ExportTarget, 'noun' | 'nouns'> {
  /** The name of the sheet. In the name of the file, hyphens replace spaces. */
  title: string;
  exportResult: ExportResult;
}

/**
 * Writes a workbook with a sheet for each export, without the lists that the service refuses; `onRefused` receives them. The
 * file is written completely or not at all.
 */
export async function writeWorkbook(
  exports: readonly TableExport[],
  { to, context, onRefused }: WorkbookTarget,
): Promise<Result> {
  const written: TableExport[] = [];
  async function* chunks() {
    for (const tableExport of exports) {
      const { nouns, exportResult } = tableExport;
      let hasBegun = false;
      try {
        for await (const chunk of withProgress(exportResult, nouns, context)) {
          hasBegun = true;
          yield chunk;
        }
        written.push(tableExport);
      } catch (error) {
        if (hasBegun || !isRefusedList(error)) throw error;
        onRefused(tableExport, error);
      }
    }
  }
  await replaceFile(to, workbookBytes(chunks()));
  for (const tableExport of written)
    try {
      reportMissingColumns(tableExport.exportResult.summary(), context);
    } catch (error) {
      if (!isIncomplete(error)) throw error;
      onRefused(tableExport, error);
    }
  const sheets = written.map(
    ({ title, exportResult }) => `${title} ${formatCount(exportResult.summary().rows)}`,
  );
  const count = sheets.length === 1 ? '1 sheet' : `${sheets.length} sheets`;
  return { kind: 'nothing', notes: [`Wrote ${count} to ${to}: ${sheets.join(', ')}.`] };
}

async function* withProgress(
  { chunks, summary }: ExportResult,
  nouns: string,
  context: Context,
): AsyncGenerator<string> {
  const limitHeap = createHeapLimiter(context);
  const bar = startProgress(context.streams, { label: `Reading ${nouns}` });
  let reportedRows = 0;
  try {
    for await (const chunk of chunks) {
      const { rows } = summary();
      limitHeap(rows - reportedRows);
      reportedRows = rows;
      bar.update(rows);
      yield chunk;
    }
  } finally {
    bar.done();
  }
}

/** Reports fields that the service doesn't return. Their columns are missing, so an import leaves these fields unchanged. */
function reportMissingColumns({ missing, missingRelations }: ExportSummary, { streams }: Context): void {
  const columns = missing.length === 1 ? 'this column' : 'these columns';
  if (missing.length > 0)
    note(streams, `Skipped, because the service doesn't return ${columns}: ${missing.join(', ')}.`);
  missingRelations.throwIfAny('The export was written without them.');
}
