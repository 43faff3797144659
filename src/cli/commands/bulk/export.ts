/** `boh RESOURCE export` and `export-links`: write records, or a row for each link, to a file or to standard output. */
import { extname, resolve } from 'node:path';
import { ownerFrom, requireOwner } from '../../../account/session/file-owner.ts';
import { canListDeleted, isRefusedList } from '../../../account/session/list.ts';
import { isIncomplete } from '../../../account/session/missing-fields.ts';
import type { Session } from '../../../account/session/session.ts';
import { requireOperation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { type Failure, usage } from '../../../base/errors.ts';
import { replaceFile } from '../../../base/replace-file.ts';
import { formatCount } from '../../../base/shown-items.ts';
import type { FormatOptions } from '../../../engine/bulk/export/cells.ts';
import {
  type ExportResult,
  type ExportSummary,
  exportRows,
} from '../../../engine/bulk/export/export-rows.ts';
import { advanceWatermark, filtersSince, readWatermark } from '../../../engine/bulk/export/watermark.ts';
import { exportLinks, linkColumnsOf, linkKindsOf } from '../../../engine/bulk/links/link-rows.ts';
import type { TableFormat } from '../../../engine/tables/table.ts';
import { workbookBytes } from '../../../engine/tables/workbook/book-bytes.ts';
import type { Context } from '../../context/context.ts';
import { parseListQuery } from '../../input/list-query.ts';
import { startRowProgress } from '../../output/heap-limiter.ts';
import { dryRunResult, type Result } from '../../output/result.ts';
import { guardCell, quoteCell, unguardCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { filterFlags, flagValues } from '../flags/contract-flags.ts';
import { type FlagsOf, under } from '../flags/flag-table.ts';
import { anyAccountFlag } from '../flags/shared-flags.ts';

export const idsFlag = ['--ids', 'write related records by ID instead of by name'] as const;
export const spreadsheetFlag = [
  '--spreadsheet',
  'write CSV for spreadsheets: with a byte order mark, CRLF and guarded formulas',
] as const;

export const noGuardFlag = [
  '--no-guard',
  'write CSV cells that a spreadsheet would run as formulas unchanged, without an apostrophe',
] as const;

const toFlag = ['--to <file>', 'write to this file (default: standard output)'] as const;

const exportFlags = ({ filters }: Resource) =>
  [
    ...filterFlags(filters),
    ...under('File:', [
      toFlag,
      ['--columns <names>', 'export these columns, plus id and updated_at'],
      ['--sort <fields>', 'sort by these fields; -FIELD for descending'],
      ['--since <file>', 'export only changes since the last export with this file, including deletions'],
      idsFlag,
      spreadsheetFlag,
      noGuardFlag,
    ]),
    anyAccountFlag('with --since: use the file of another account'),
  ] as const;

const linkExportFlags = ({ filters }: Resource) =>
  [...filterFlags(filters), ...under('File:', [toFlag, idsFlag, spreadsheetFlag, noGuardFlag])] as const;

type ExportFlags = FlagsOf<ReturnType<typeof exportFlags>>;

export function exportCommand(resource: Resource, context: Context): Command {
  const command = `boh ${resource.command} export`;
  return createCommand(context, {
    name: 'export',
    about: `Export all ${resource.nouns}, or those that match filters, to a CSV, XLSX, NDJSON or JSON file that import reads.`,
    flags: exportFlags(resource),
    examples: [`${command} --to ${resource.name}.csv`, `${command} --to ${resource.name}.xlsx --ids`],
    dryRun: true,
    hasOwnFormats: true,
    reportsRedactions: true,
    run: (_, flags) => exportRecords(flags, resource, context),
  });
}

export function exportLinksCommand(resource: Resource, context: Context): Command {
  const linkNames = linkKindsOf(resource);
  const [link = ''] = linkNames;
  const command = `boh ${resource.command} export-links ${link}`;
  return createCommand(context, {
    name: 'export-links',
    about: `Export the links of ${resource.nouns} to a file that import-links reads, a row for each link.`,
    args: [['[link]', `which links: ${linkNames.join(', ')}`]],
    usage: '<link> [flags]',
    flags: linkExportFlags(resource),
    examples: [`${command} --to ${link}.csv`, `${command} --to ${link}.xlsx --ids`],
    dryRun: true,
    hasOwnFormats: true,
    reportsRedactions: true,
    run: ([linkName], flags) => exportLinksOf(linkName, flags, resource, context),
  });
}

async function exportLinksOf(
  linkName: string | undefined,
  flags: FlagsOf<ReturnType<typeof linkExportFlags>>,
  resource: Resource,
  context: Context,
): Promise<Result> {
  const list = requireOperation(resource, 'list');
  const columns = linkColumnsOf(resource, linkName);
  const format = await formatOf(flags, context);
  const query = await parseExportQuery(flags, resource, context);
  const session = await context.session();
  if (context.globals.dryRun) {
    const call = { operation: list, query: { ...query, include: [columns.link.field] } };
    return dryRunResult(context, [await session.plan(call)]);
  }
  await session.permissions.checkPermission({ operation: list });
  const { filters = {} } = await session.names.resolveFilters(resource, query);
  const text = { ...textOptions(flags, format), sheet: `${resource.command} ${columns.link.suffix}` };
  const exportResult = exportLinks({ session, resource, columns, filters, isById: flags.ids === true, text });
  return writeExport(exportResult, { to: flags.to, format, noun: 'link', nouns: 'links', context });
}

async function exportRecords(flags: ExportFlags, resource: Resource, context: Context): Promise<Result> {
  const list = requireOperation(resource, 'list');
  const format = await formatOf(flags, context);
  const query = await parseExportQuery(flags, resource, context);
  const session = await context.session();
  if (context.globals.dryRun) return dryRunResult(context, [await session.plan({ operation: list, query })]);
  await session.permissions.checkPermission({ operation: list });
  const { filters = {}, sort } = await session.names.resolveFilters(resource, query);
  const since = await readSince({ flags, resource, filters, session, env: context.env });
  const exportResult = exportRows({
    session,
    resource,
    filters: { ...filters, ...since?.filters },
    since: since?.until,
    withDeleted: since
      ? since.until !== undefined && canListDeleted(resource)
      : filters.is_deleted === 'true',
    sort,
    layout: {
      columns: flags.columns,
      isById: flags.ids === true,
      hasDeleted: since ? canListDeleted(resource) : filters.is_deleted === 'true',
    },
    text: { ...textOptions(flags, format), sheet: resource.command },
  });
  const result = await writeExport(exportResult, {
    to: flags.to,
    format,
    noun: resource.noun,
    nouns: resource.nouns,
    context,
  });
  // The file is complete now. If the process ends before this line, the next export writes these rows again.
  await since?.advance(exportResult.summary().completeUntil);
  return result;
}

/** The options of `--since`. */
interface SinceOptions {
  flags: ExportFlags;
  resource: Resource;
  filters: Readonly<Record<string, string>>;
  session: Session;
  env: Context['env'];
}

async function readSince({ flags, resource, filters, session, env }: SinceOptions) {
  const { since: file, to, anyAccount } = flags;
  if (file === undefined) {
    if (anyAccount) throw usage('--any-account can only be used with --since.');
    return undefined;
  }
  if (to === undefined)
    throw usage('--since needs --to: the watermark is updated after the file is complete.');
  if (resolve(file) === resolve(to)) throw usage('--since and --to name the same file.');
  const conflicts = ['updated_after', 'is_deleted'].filter((name) => Object.hasOwn(filters, name));
  if (conflicts.length > 0)
    throw usage(
      `--since can't be combined with the filters ${conflicts.join(' and ')}, which it sets itself.`,
    );
  const subject = { resource: resource.name, filters };
  const storedWatermark = await readWatermark(file, subject);
  const owner = ownerFrom(storedWatermark ?? {});
  const { account, match } = await requireOwner(session, owner, {
    label: file,
    kind: 'watermark',
    override: `Use a separate file for each account. To use it anyway: --any-account`,
    env,
    isOverridden: anyAccount,
  });
  // The watermark of another account isn't valid for records of this account.
  const watermark = match === 'other' ? undefined : storedWatermark;
  return {
    until: watermark?.until,
    filters: filtersSince(resource, watermark?.until),
    advance: (completeUntil: string | undefined) =>
      advanceWatermark(file, { ...subject, account }, watermark, completeUntil),
  };
}

/** Parses the filters and the sorting in the flags. Throws a `usage` failure with all problems. */
function parseExportQuery(
  flags: Pick<ExportFlags, 'filter' | 'sort'>,
  resource: Resource,
  { now, globals }: Context,
) {
  const names = resource.filters.map(({ name }) => name);
  const { filter, sort } = flags;
  const listFlags = { filter, filters: flagValues(flags, names), ...(sort !== undefined && { sort }) };
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
  { to, spreadsheet, guard }: Pick<ExportFlags, 'to' | 'spreadsheet' | 'guard'>,
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
  if (guard === false && format !== 'csv') throw usage('--no-guard is only for CSV.');
  return format;
}

export function textOptions(
  { to, spreadsheet, guard }: Pick<ExportFlags, 'to' | 'spreadsheet' | 'guard'>,
  format: TableFormat,
): Omit<FormatOptions, 'sheet'> {
  return {
    format,
    isForSpreadsheets: spreadsheet === true,
    // A file is for people. Standard output is for a program, which gets each value unchanged.
    csvCell:
      guard !== false && (spreadsheet || to !== undefined) ? (text) => quoteCell(guardCell(text)) : quoteCell,
    guardCell,
    unguardCell,
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
  const progress = startRowProgress(context);
  progress.startPart(`Reading ${nouns}`);
  let reportedRows = 0;
  try {
    for await (const chunk of chunks) {
      const { rows } = summary();
      progress.add(rows - reportedRows);
      reportedRows = rows;
      yield chunk;
    }
  } finally {
    progress.done();
  }
}

/** Reports fields that the service doesn't return. Their columns are missing, so an import leaves these fields unchanged. */
function reportMissingColumns({ missing, missingRelations }: ExportSummary, { streams }: Context): void {
  const columns = missing.length === 1 ? 'this column' : 'these columns';
  if (missing.length > 0)
    note(streams, `Skipped, because the service doesn't return ${columns}: ${missing.join(', ')}.`);
  missingRelations.throwIfAny('The export was written without them.');
}
