/** From a file to its rows: the form by its name or as it is said, the encoding found out. */
import { usage } from '../base/errors.ts';
import { type CsvTable, openCsv } from './csv.ts';
import { type Encoded, encodingOf } from './encoding.ts';
import { openJson } from './json-array.ts';
import { openNdjson } from './ndjson.ts';
import type { Source } from './source.ts';
import type { Table, TableForm } from './table.ts';
import type { XlsxTable } from './xlsx.ts';

export interface TableOptions {
  /** Where the file's name doesn't tell. */
  form?: TableForm | undefined;
  encoding?: string | undefined;
  delimiter?: string | undefined;
  /** What encloses cells of CSV: `double` or `single`. */
  quote?: string | undefined;
  /** Of a workbook. */
  sheet?: string | undefined;
  /** The name of the sheet that is meant where none is said. */
  usualSheet: string;
  /** Names of columns that may stand in a header. */
  known: ReadonlySet<string>;
  /** Whether the line may say `--sheet`, `--encoding`, `--delimiter` and `--quote`. */
  hasFlags: boolean;
}

/** How it is encoded is a question for text alone. */
export type OpenTable = (Table | CsvTable | XlsxTable) & { encoded?: Encoded | undefined };

/** What the end of a file's name says of the form of its rows. */
export const formsByExtension: Readonly<Record<string, TableForm>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
};

export async function openTable(source: Source, options: TableOptions): Promise<OpenTable> {
  if (await isWorkbook(source)) return openWorkbook(source, options);
  if (options.sheet !== undefined) throw usage(`--sheet goes with workbooks, and ${source.called} is none.`);
  const encoded = await encodingOf(source, options.encoding);
  const table = await openText(source, encoded, options);
  if (!encoded.isGuess) return table;
  return { ...table, remarks: [onGuess(source, encoded, options), ...(table.remarks ?? [])] };
}

async function openText(source: Source, encoded: Encoded, options: TableOptions): Promise<OpenTable> {
  const form = formsByExtension[source.extension] ?? options.form ?? (await guess(source, encoded));
  if (form === 'csv') {
    const delimiter = options.delimiter ?? (source.extension === 'tsv' ? 'tab' : undefined);
    const { quote, known, hasFlags } = options;
    return openCsv(source, encoded, { delimiter, quote, known, hasFlags });
  }
  const wrong = flagsGiven({ '--delimiter': options.delimiter, '--quote': options.quote });
  if (wrong.length > 0) throw usage(`${wrong} goes with CSV, and ${source.called} is ${form}.`);
  return { ...(form === 'json' ? openJson : openNdjson)(source, encoded), encoded };
}

function onGuess({ called }: Source, { encoding }: Encoded, { hasFlags }: TableOptions): string {
  const otherwise = hasFlags ? '--encoding says otherwise' : 'Save it as UTF-8 where that is wrong';
  return `${called} is no UTF-8: it is read as ${encoding}. ${otherwise}.`;
}

/** By its name; by its beginning where it has none. */
async function isWorkbook(source: Source): Promise<boolean> {
  if (formsByExtension[source.extension] === 'xlsx') return true;
  if (source.name !== undefined) return false;
  const { beginsAsWorkbook } = await import('./xlsx.ts');
  return beginsAsWorkbook(source);
}

async function openWorkbook(source: Source, options: TableOptions): Promise<OpenTable> {
  const { delimiter, quote, encoding, sheet, usualSheet, known, hasFlags } = options;
  const wrong = flagsGiven({ '--delimiter': delimiter, '--quote': quote, '--encoding': encoding });
  if (wrong.length > 0) throw usage(`${wrong}: ${source.called} is a workbook, which has none.`);
  const { openXlsx } = await import('./xlsx.ts');
  return openXlsx(source, { sheet, usual: usualSheet, known, hasFlags });
}

function flagsGiven(flags: Readonly<Record<string, string | undefined>>): string {
  const given = Object.keys(flags).filter((name) => flags[name] !== undefined);
  return given.join(' and ');
}

/** By its first character: objects are NDJSON, a list is JSON, all else CSV. */
async function guess(source: Source, { encoding }: Encoded): Promise<TableForm> {
  const { decoded } = await import('./encoding.ts');
  for await (const text of decoded(source, encoding)) {
    const first = text.trimStart()[0];
    if (first !== undefined) return first === '[' ? 'json' : first === '{' ? 'ndjson' : 'csv';
  }
  return 'csv';
}
