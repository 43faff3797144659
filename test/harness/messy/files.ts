/**
 * Generates messy files around known tables: with titles, sections, totals, blank rows and columns, text marks, number
 * formats, languages, encodings, and in a few of them one damaged cell. The same seed gives the same file.
 */
import { stringify } from 'csv-stringify/sync';
import { encoderFor } from '../../../src/engine/tables/encode.ts';
import { randomNumbers } from '../random-numbers.ts';
import { type CellContent, createWorkbook } from '../workbook/create-workbook.ts';
import { drawWriting, type Writing, writeCell } from './cells.ts';
import { chance, drawTable, type KnownTable, pick, type Random } from './records.ts';

export interface MessyFile {
  name: string;
  content: Buffer;
  resource: KnownTable['resource'];
  /** The right values of each record. */
  records: KnownTable['records'];
  /** The flags that a careful person gives from the beginning. */
  flags: string[];
  /** The flags that say everything that the file leaves open. */
  allFlags: string[];
  /** The line of the damaged cell, if there is one. */
  damagedLine?: number;
  /** What was drawn, to recognize what fails. */
  description: string;
}

type Row = CellContent[];
interface Layout {
  rows: Row[];
  /** The index of each record's row. */
  recordRows: number[];
}

export function messyFile(seed: number): MessyFile {
  const random = randomNumbers(Math.imul(seed, 2_654_435_761) >>> 0);
  for (let skipped = 0; skipped < 8; skipped++) random();
  const table = drawTable(random);
  const writing = drawWriting(random, table);
  const format = pick(random, ['csv', 'csv', 'tsv', 'xlsx', 'xlsx'] as const);
  const native = format === 'xlsx' && chance(random, 0.75);
  const columnFlags: string[] = [];
  const layout = layOut({ table, writing, random, native, columnFlags });
  const damage = chance(random, 0.03) ? damageCell({ layout, table, random, columnFlags }) : undefined;
  const shared = {
    resource: table.resource,
    records: table.records,
    ...(damage && { damagedLine: damage.line }),
  };
  const valueFlags = ['--decimal', writing.decimal];
  const order = { iso: 'ymd', dmy: 'dmy', mdy: 'mdy', named: 'dmy', dotted: 'dmy' }[writing.date];
  if (!native && table.resource === 'customers') valueFlags.push('--dates', order);
  const description = `${table.language.code} ${table.resource} ${JSON.stringify({ ...writing, currency: writing.currency('1') })} ${damage?.text ?? ''}`;
  if (format === 'xlsx')
    return {
      ...shared,
      name: `messy-${seed}.xlsx`,
      content: createWorkbook({ name: 'Sheet1', rows: layout.rows, extraXml: mergedTitle(layout) }),
      flags: columnFlags,
      allFlags: [...columnFlags, ...valueFlags],
      description: `xlsx ${native ? 'cells' : 'texts'} ${description}`,
    };
  const delimiter =
    format === 'tsv' ? '\t' : pick(random, writing.decimal === 'comma' ? [';'] : [',', ',', ';', '|']);
  const text = stringify(layout.rows, {
    delimiter,
    record_delimiter: pick(random, ['\n', '\r\n']),
    quoted: chance(random, 0.2),
  });
  const { bytes, encoding } = encodeText(text, { table, random });
  const encodingFlags = encoding === undefined ? [] : ['--encoding', encoding];
  const givesEncoding = chance(random, 0.8);
  return {
    ...shared,
    name: `messy-${seed}.${format}`,
    content: bytes,
    flags: [...columnFlags, ...(givesEncoding ? encodingFlags : [])],
    allFlags: [...columnFlags, ...encodingFlags, ...valueFlags],
    description: `${format} ${JSON.stringify(delimiter)} ${encoding ?? 'unicode'} ${description}`,
  };
}

/** Encodes a text in UTF-8, UTF-16 or the older encoding of its language; the encoding is undefined for Unicode. */
function encodeText(text: string, { table, random }: { table: KnownTable; random: Random }) {
  const kind = pick(random, ['utf-8', 'utf-8', 'utf-8', 'bom', 'utf-16', 'old']);
  if (kind === 'bom') return { bytes: Buffer.from(`\ufeff${text}`), encoding: undefined };
  if (kind === 'utf-16') return { bytes: Buffer.from(`\ufeff${text}`, 'utf16le'), encoding: undefined };
  const { encoding } = table.language;
  const bytes = encoderFor(encoding).encode(text);
  const isComplete = new TextDecoder(encoding).decode(bytes) === text;
  if (kind === 'utf-8' || !isComplete || Buffer.from(text).equals(bytes))
    return { bytes: Buffer.from(text), encoding: undefined };
  return { bytes, encoding };
}

/** Places the records in rows, with what stands around them. */
function layOut({
  table,
  writing,
  random,
  native,
  columnFlags,
}: {
  table: KnownTable;
  writing: Writing;
  random: Random;
  native: boolean;
  columnFlags: string[];
}): Layout {
  const { language } = table;
  const columns = [...table.columns];
  if (chance(random, 0.3)) columns.reverse();
  // Spreadsheets keep columns and rows that only have a format.
  const isIndented = chance(random, 0.1);
  const empty: CellContent = native && chance(random, 0.5) ? { xml: 's="1">' } : '';
  const hasIndex = chance(random, 0.1);
  const hasOther = chance(random, 0.15);
  if (hasIndex) columnFlags.push('--map', '=');
  if (hasOther) columnFlags.push('--map', 'Margin=');
  const width = columns.length + Number(isIndented) + Number(hasIndex) + Number(hasOther);
  const around = (cells: Row, index: CellContent, other: CellContent): Row => [
    ...(isIndented ? [empty] : []),
    ...(hasIndex ? [index] : []),
    ...cells,
    ...(hasOther ? [other] : []),
  ];
  const single = (text: string, column = 0): Row =>
    Array.from({ length: width }, (_, index) => (index === column ? text : ''));
  const blank = (): Row => Array<CellContent>(width).fill(pick(random, ['', ' ', empty]));
  const rows: Row[] = [];
  if (chance(random, 0.25)) rows.push(single(language.title));
  if (rows.length > 0 && chance(random, 0.5)) rows.push(single('Sample Street 4, 12345 Town'), blank());
  rows.push(
    around(
      columns.map(({ title }) => title),
      '',
      'Margin',
    ),
  );
  const hasSections = chance(random, 0.12);
  const sectionColumn = Math.floor(random() * width);
  const hasPages = chance(random, 0.06);
  const recordRows: number[] = [];
  for (const [index, record] of table.records.entries()) {
    for (let count = chance(random, 0.05) ? 1 + 300 * random() ** 5 : 0; count > 0; count--)
      rows.push(blank());
    if (hasPages && index % 11 === 10) rows.push(rows.find((cells) => isHeaderOf(table, cells)) ?? []);
    if (hasSections && index % 7 === 6) rows.push(totalRow({ table, columns, width, random }));
    if (hasSections && index % 7 === 0) rows.push(single(pick(random, language.words), sectionColumn));
    recordRows.push(rows.length);
    const cells = columns.map(({ field, kind }) =>
      writeCell(record[field] ?? '', kind, { writing, table, random, native }),
    );
    rows.push(around(cells, String(index), pick(random, ['#DIV/0!', '12%', ''])));
  }
  if (chance(random, 0.12)) rows.push(totalRow({ table, columns, width, random }));
  if (chance(random, 0.06)) rows.push(blank(), single('Prices without tax. Call us: 555 0100.'));
  return { rows, recordRows };
}

function isHeaderOf({ columns }: KnownTable, cells: Row): boolean {
  return columns.every(({ title }) => cells.includes(title));
}

/** Returns a row with a total: its word in any column but that of the amounts, and perhaps their sum. */
function totalRow({
  table,
  columns,
  width,
  random,
}: {
  table: KnownTable;
  columns: readonly { kind: string }[];
  width: number;
  random: Random;
}): Row {
  const offset = Math.floor(random() * (width - columns.length + 1));
  const amountColumn = columns.findIndex(({ kind }) => kind === 'amount') + offset;
  const wordColumn = Math.floor(random() * width);
  const sum = String(table.records.length * 10);
  const word = pick(random, [table.language.total, `${table.language.total}:`, 'GRAND TOTAL', 'Subtotal']);
  return Array.from({ length: width }, (_, index) => {
    if (index === wordColumn) return word;
    return index === amountColumn && index > wordColumn ? sum : '';
  });
}

/** Damages one cell of a code as a spreadsheet does, and returns the line of its row. */
function damageCell({
  layout,
  table,
  random,
}: {
  layout: Layout;
  table: KnownTable;
  random: Random;
  columnFlags: string[];
}): { line: number; text: string } {
  const field = table.resource === 'customers' ? 'phone' : pick(random, ['sku', 'barcode']);
  const rowIndex = pick(random, layout.recordRows);
  const row = layout.rows[rowIndex] as Row;
  const header = layout.rows.find((cells) => isHeaderOf(table, cells)) ?? [];
  const text = pick(random, ['8.90124E+12', '9,66512E+11', '#REF!', '########', '5512345.0']);
  row[header.indexOf(table.columns.find((column) => column.field === field)?.title ?? '')] = text;
  return { line: rowIndex + 1, text: `${field} ${text}` };
}

/** Returns the XML that merges the cells of a title, as people format it. */
function mergedTitle({ rows, recordRows }: Layout): string {
  const isTitle = (recordRows[0] ?? 0) > 1 && rows[0]?.slice(1).every((cell) => cell === '');
  return isTitle ? '<mergeCells count="1"><mergeCell ref="A1:D1"/></mergeCells>' : '';
}
