/** The file of an export: the flags that describe it, and what is exported written there or to standard output. */

import { extname } from 'node:path';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { TextOptions } from '../../bulk/export/cells.ts';
import type { Exported, ExportFacts } from '../../bulk/export/export-rows.ts';
import type { Context } from '../../context/context.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { type ListFlags, readQuery } from '../../input/list-query.ts';
import type { Result } from '../../output/result.ts';
import { steadyHeap } from '../../output/steady-heap.ts';
import type { TableForm } from '../../tables/table.ts';
import { writeWhole } from '../../tables/whole-file.ts';
import { csvCell, guardedCell, plainCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { progress } from '../../terminal/progress.ts';
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

interface Delivery {
  /** Standard output where it is left out. */
  to: string | undefined;
  form: TableForm;
  /** What a row is called, and several. */
  one: string;
  several: string;
  context: Context;
}

export async function deliver(
  exported: Exported,
  { to, form, one, several, context }: Delivery,
): Promise<Result> {
  const texts = watched(exported, several, context);
  if (to === undefined) return { kind: 'texts', texts, end: () => tellMissing(exported.facts(), context) };
  await writeWhole(to, form === 'xlsx' ? await packed(texts) : texts);
  const { rows } = exported.facts();
  tellMissing(exported.facts(), context);
  return {
    kind: 'nothing',
    remarks: [`${numeral(rows)} ${rows === 1 ? one : several} in ${to}.`],
  };
}

/** A sheet for each, whole or not at all. */
export async function deliverBook(
  exports: readonly { resource: Resource; exported: Exported }[],
  { to, context }: Pick<Delivery, 'to' | 'context'> & { to: string },
): Promise<Result> {
  async function* texts() {
    for (const { resource, exported } of exports) yield* watched(exported, resource.nouns, context);
  }
  await writeWhole(to, await packed(texts()));
  for (const { exported } of exports) tellMissing(exported.facts(), context);
  const sheets = exports.map(({ resource: { command }, exported }) => {
    return `${command} ${numeral(exported.facts().rows)}`;
  });
  const count = sheets.length === 1 ? 'A sheet' : `${sheets.length} sheets`;
  return { kind: 'nothing', remarks: [`${count} in ${to}: ${sheets.join(', ')}.`] };
}

async function packed(texts: AsyncIterable<string>): Promise<AsyncIterable<Buffer>> {
  const { bookBytes } = await import('../../tables/workbook/book-bytes.ts');
  return bookBytes(texts);
}

async function* watched(
  { texts, facts }: Exported,
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

/** What isn’t there is left alone by an import; people should know all the same. */
function tellMissing({ missing }: ExportFacts, { streams }: Context): void {
  if (missing.length === 0) return;
  const what = missing.length === 1 ? 'the column is' : 'the columns are';
  note(streams, `The service shows nothing of ${missing.join(', ')}: ${what} left out.`);
}
