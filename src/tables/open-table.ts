/** Opens a file of rows: detects its format and encoding. */

import { usage } from '../base/errors.ts';
import { type CsvTable, openCsv } from './csv.ts';
import {
  type DetectedEncoding,
  decodeFile,
  detectEncoding,
  type EncodingOptions,
} from './detect-encoding.ts';
import type { HeaderOptions } from './find-header.ts';
import type { InputFile } from './input-file.ts';
import { openJson } from './json-array.ts';
import { openNdjson } from './ndjson.ts';
import type { SideRowOptions } from './side-rows.ts';
import type { Table, TableFormat } from './table.ts';
import { hasZipSignature, openXlsx, type XlsxTable } from './xlsx.ts';

/** The options for opening a file. */
export interface TableOptions extends EncodingOptions, HeaderOptions, SideRowOptions {
  /** The format of a file without a known extension. */
  format?: TableFormat | undefined;
  delimiter?: string | undefined;
  /** The quote of CSV: `double` or `single`. */
  quote?: string | undefined;
  /** The sheet of a workbook. */
  sheet?: string | undefined;
  /** The name of the sheet that is read by default. */
  defaultSheet: string;
  /** Whether the command has the flags for the format of a file, such as `--sheet` and `--header-row`. */
  hasFlags: boolean;
}

/** An open file; text files have an encoding. */
export type OpenTable = (Table | CsvTable | XlsxTable) & { encoded?: DetectedEncoding | undefined };

export const formatsByExtension: Readonly<Record<string, TableFormat>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
};

/** Opens a file of rows. Throws a usage failure if it can't be read or flags don't apply. */
export async function openTable(source: InputFile, options: TableOptions): Promise<OpenTable> {
  if (await isWorkbook(source)) return openWorkbook(source, options);
  if (options.sheet !== undefined) throw usage(`${source.label} isn't a workbook: omit --sheet.`);
  const encoded = await detectEncoding(source, options);
  const table = await openText(source, encoded, options);
  if (!encoded.isGuess) return table;
  return { ...table, notes: [guessNote(source, encoded, options), ...(table.notes ?? [])] };
}

async function openText(
  source: InputFile,
  encoded: DetectedEncoding,
  options: TableOptions,
): Promise<OpenTable> {
  const format =
    formatsByExtension[source.extension] ?? options.format ?? (await guessFormat(source, encoded));
  if (format === 'csv') {
    const delimiter = options.delimiter ?? (source.extension === 'tsv' ? 'tab' : undefined);
    return openCsv(source, encoded, { ...options, delimiter });
  }
  const wrongFlags = formatUsedFlags({
    '--delimiter': options.delimiter,
    '--quote': options.quote,
    '--header-row': options.headerRow,
    '--skip-rows': options.skipRows,
  });
  if (wrongFlags.length > 0) throw usage(`${source.label} is ${format}, not CSV: omit ${wrongFlags}.`);
  return { ...(format === 'json' ? openJson : openNdjson)(source, encoded), encoded };
}

function guessNote({ label }: InputFile, { encoding }: DetectedEncoding, { hasFlags }: TableOptions): string {
  const advice = hasFlags ? 'To change that, use --encoding' : 'If that is wrong, save it as UTF-8';
  return `${label} isn't UTF-8. It is read as ${encoding}. ${advice}.`;
}

/** Returns whether a file is a workbook: by its extension, or by its content if it has no name. */
async function isWorkbook(source: InputFile): Promise<boolean> {
  if (formatsByExtension[source.extension] === 'xlsx') return true;
  if (source.name !== undefined) return false;
  return hasZipSignature(source);
}

async function openWorkbook(source: InputFile, options: TableOptions): Promise<OpenTable> {
  const { delimiter, quote, encoding } = options;
  const wrongFlags = formatUsedFlags({ '--delimiter': delimiter, '--quote': quote, '--encoding': encoding });
  if (wrongFlags.length > 0) throw usage(`${source.label} is a workbook: omit ${wrongFlags}.`);
  return openXlsx(source, options);
}

function formatUsedFlags(flags: Readonly<Record<string, unknown>>): string {
  const usedNames = Object.keys(flags).filter((name) => flags[name] !== undefined);
  return usedNames.join(' and ');
}

/** Guesses the format from the first character: `{` means NDJSON, `[` means JSON, any other means CSV. */
async function guessFormat(source: InputFile, { encoding }: DetectedEncoding): Promise<TableFormat> {
  for await (const text of decodeFile(source, encoding)) {
    const first = text.trimStart()[0];
    if (first !== undefined) return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
  }
  return 'csv';
}
