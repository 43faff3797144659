/** From a file to its rows: the form by its name or as it is said, the encoding found out. */
import { usage } from '../../errors.ts';
import { type CsvTable, openCsv } from './csv.ts';
import { type Encoded, encodingOf } from './encoding.ts';
import { openJson } from './json-array.ts';
import { openNdjson } from './ndjson.ts';
import type { Source } from './source.ts';
import type { Table, TableForm } from './table.ts';

export interface TableOptions {
  /** Where the file’s name doesn’t tell. */
  form?: TableForm | undefined;
  encoding?: string | undefined;
  delimiter?: string | undefined;
  /** Names of columns that may stand in a header. */
  known: ReadonlySet<string>;
}

export type OpenTable = (Table | CsvTable) & { encoded: Encoded };

const formsByExtension: Readonly<Record<string, TableForm>> = {
  csv: 'csv',
  tsv: 'csv',
  txt: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
};

export async function openTable(source: Source, options: TableOptions): Promise<OpenTable> {
  const encoded = await encodingOf(source, options.encoding);
  const form = formsByExtension[source.extension] ?? options.form ?? (await guess(source, encoded));
  if (form === 'csv') {
    const delimiter = options.delimiter ?? (source.extension === 'tsv' ? 'tab' : undefined);
    return openCsv(source, encoded, { delimiter, known: options.known });
  }
  if (options.delimiter !== undefined)
    throw usage(`--delimiter goes with CSV, and ${source.called} is ${form}.`);
  return { ...(form === 'json' ? openJson : openNdjson)(source, encoded), encoded };
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
