/** The flags of `export`, and what they say of the file. */
import { extname } from 'node:path';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { TextOptions } from '../../bulk/export/cells.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import { type ListFlags, readQuery } from '../../input/list-query.ts';
import type { TableForm } from '../../tables/table.ts';
import { csvCell, guardedCell, plainCell } from '../../terminal/formats/csv.ts';
import type { Command } from '../command.ts';
import { anyAccountOption } from '../flags/any-account.ts';
import { addFilterFlags, givenValues } from '../flags/field-flags.ts';

/** As typed. */
export interface ExportFlags extends Pick<ListFlags, 'filter' | 'sort'> {
  to?: string;
  ids?: boolean;
  columns?: string;
  spreadsheet?: boolean;
  since?: string;
  anyAccount?: boolean;
}

export function addExportFlags(command: Command, operation: Operation, { isOfLinks = false } = {}): void {
  addFilterFlags(command, operation.resource.filters);
  const ofRecords = [
    new Option('--columns <names>', 'these columns, in this order, beside id and updated_at'),
    new Option(
      '--since <file>',
      'what has changed since the last time, deletions too; the file keeps how far that was',
    ),
    new Option('--sort <fields>', 'fields to sort by; - in front for the last first'),
    anyAccountOption(),
  ];
  const options = [
    new Option('--to <file>', 'write it there, whole or not at all; else to standard output'),
    ...(isOfLinks ? [] : ofRecords),
    new Option('--ids', 'relations by their ids, not by what people call them'),
    new Option('--spreadsheet', 'CSV that spreadsheets open as it is: a byte order mark and CRLF'),
  ];
  for (const option of options) command.addOption(option.helpGroup('The file:'));
}

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

/** By the file’s name; else as `-o` says, or the settings, or CSV. */
export async function formOf(
  { to, spreadsheet }: Pick<ExportFlags, 'to' | 'spreadsheet'>,
  context: Context,
): Promise<TableForm> {
  const extension = extname(to ?? '')
    .slice(1)
    .toLowerCase();
  const asked = context.globals.output;
  const byName = forms[extension];
  const named = asked === undefined ? undefined : forms[asked];
  if (asked !== undefined && named === undefined) {
    throw usage(`An export can’t be written as ${asked}.`, {
      hint: 'It goes with -o csv, ndjson or json, or to a file that is called .xlsx.',
    });
  }
  if (byName !== undefined && named !== undefined && byName !== named) {
    throw usage(`-o ${asked} doesn’t go with a file that is called .${extension}.`);
  }
  if (to !== undefined && byName === undefined && named === undefined) {
    throw usage(`The name of ${to} doesn’t say what it is to be.`, {
      hint: 'End it with .csv, .ndjson, .json or .xlsx, or say it: -o csv.',
    });
  }
  const settled = asked === undefined && byName === undefined ? (await context.settings()).output : undefined;
  const form = byName ?? named ?? forms[settled ?? ''] ?? 'csv';
  if (spreadsheet && form !== 'csv') throw usage('--spreadsheet goes with CSV.');
  return form;
}

export function textOptions(
  { spreadsheet }: Pick<ExportFlags, 'spreadsheet'>,
  form: TableForm,
): Omit<TextOptions, 'sheet'> {
  return { form, isForSpreadsheets: spreadsheet === true, csvCell, guard: guardedCell, plainCell };
}
