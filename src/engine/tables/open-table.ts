/** Opens a file of rows: detects its format and encoding. */
import { usage } from '../../base/errors.ts';
import { type CsvTable, openCsv } from './csv.ts';
import {
  type DetectedEncoding,
  decodeFile,
  detectEncoding,
  type EncodingOptions,
} from './detect-encoding.ts';
import type { HeaderOptions } from './find-header.ts';
import type { InputFile } from './input-file.ts';
import { openNdjson, parseJsonRow } from './ndjson.ts';
import type { SideRowOptions } from './side-rows.ts';
import type { Table, TableFormat, TableRow } from './table.ts';
import { hasZipSignature, openXlsx, type XlsxTable } from './xlsx.ts';

/** The options for opening a file. */
export interface TableOptions extends EncodingOptions, HeaderOptions, SideRowOptions {
  /** The format of the file, if the flags name it. */
  format?: TableFormat | undefined;
  delimiter?: string | undefined;
  /** The quote of CSV: `double` or `single`. */
  quote?: string | undefined;
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
    options.format ?? formatsByExtension[source.extension] ?? (await guessFormat(source, encoded));
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

/** The maximum number of characters in a row. */
const maxRowCharacters = 16_000_000;

/** Opens a JSON file, whose rows are the objects of one array. */
function openJson(source: InputFile, { encoding }: DetectedEncoding): Table {
  return { format: 'json', rows: () => readRows(source, encoding) };
}

/** The position of a character: before the list, between two items, within an item, or after the list. */
type ListPosition = 'before' | 'between' | 'within' | 'after';

async function* readRows(source: InputFile, encoding: string): AsyncGenerator<TableRow> {
  let position = 'before' as ListPosition;
  let [line, itemLine, depth] = [1, 1, 0];
  let [isInString, isEscaped, needsComma] = [false, false, false];
  let item = '';

  for await (const text of decodeFile(source, encoding)) {
    let from = 0;
    for (let index = 0; index < text.length; index++) {
      const character = text[index] ?? '';
      if (character === '\n') line++;
      if (position === 'within') {
        if (isEscaped) isEscaped = false;
        else if (isInString && character === '\\') isEscaped = true;
        else if (character === '"') isInString = !isInString;
        else if (!isInString && (character === '{' || character === '[')) depth++;
        else if (!isInString && depth > 0 && (character === '}' || character === ']')) depth--;
        else if (!isInString && depth === 0 && (character === ',' || character === ']')) {
          yield parseJsonRow(item + text.slice(from, index), itemLine);
          item = '';
          position = character === ',' ? 'between' : 'after';
          needsComma = character === ',';
        }
        continue;
      }
      if (/\s/.test(character)) continue;
      if (position === 'before' && character === '[') position = 'between';
      else if (position === 'between' && character === ']' && !needsComma) position = 'after';
      else if (position === 'between' && character !== ',' && character !== ']') {
        position = 'within';
        itemLine = line;
        // Reads the character again as part of the item.
        from = index--;
        depth = 0;
      } else throw listFailure(source, position, character, line);
    }
    if (position === 'within') item += text.slice(from);
    if (item.length > maxRowCharacters)
      throw usage(`${source.label} has a row at line ${itemLine} that doesn't end.`);
  }
  if (position === 'before') throw usage(`${source.label} is empty.`);
  if (position !== 'after') throw usage(`${source.label} ends too early: the list is not closed.`);
}

function listFailure({ label }: InputFile, position: ListPosition, character: string, line: number) {
  if (position === 'before') {
    return usage(`${label} does not start with a list: "${character}" at line ${line}.`, {
      hint: 'Write a list of objects: [{…}, {…}]. For one object per line (NDJSON), name the file .ndjson, or add -o ndjson in a pipe.',
    });
  }
  const problem = position === 'after' ? 'continues after its list' : 'is not valid JSON';
  return usage(`${label} ${problem}: "${character}" at line ${line}.`);
}
