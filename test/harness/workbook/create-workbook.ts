/** Builds workbooks part by part, including parts that our own writer would not produce. */
import { createZip, type Part } from './zip.ts';

/** The value of a cell, such as `1.5`, `"text"` or `true`; a number with a format; or the XML of its attributes and content. */
export type CellContent =
  | string
  | number
  | boolean
  | null
  | { xml: string }
  | { number: number; format: string };

export interface SheetContent {
  name: string;
  rows: CellContent[][];
  state?: 'hidden' | 'veryHidden';
  /** Numbers of hidden rows or columns, from 1. */
  hidden?: { rows?: readonly number[]; columns?: readonly number[] };
  /** XML after the rows: `<mergeCells>…`. */
  extraXml?: string;
}

/** Returns a cell with a day: its serial number with a date format. */
export const dayCell = (serial: number) => ({ xml: `s="1"><v>${serial}</v>` });
/** Returns a cell with a number that is displayed with seven digits, such as a code or a phone number. */
export const sevenDigitCell = (number: number) => ({ xml: `s="3"><v>${number}</v>` });
export const formulaCell = (formula: string, value?: string) => ({
  xml: `><f>${formula}</f>${value === undefined ? '' : `<v>${value}</v>`}`,
});

export function createWorkbook(...sheets: SheetContent[]): Buffer {
  return createZip(partsOf(sheets));
}

export function partsOf(sheets: readonly SheetContent[]): Part[] {
  const strings: string[] = [];
  const formats: string[] = ['0000000'];
  const worksheets = sheets.map(
    ({ rows, extraXml = '', hidden = {} }, index): Part => ({
      name: `xl/worksheets/sheet${index + 1}.xml`,
      content: `${xmlHeader}<worksheet ${mainNamespace}>${columnsXml(hidden.columns)}<sheetData>${rows
        .map(
          (cells, row) =>
            `<row r="${row + 1}"${hidden.rows?.includes(row + 1) ? ' hidden="1"' : ''}>${cells.map(cellWriter({ strings, formats }, row)).join('')}</row>`,
        )
        .join('')}</sheetData>${extraXml}</worksheet>`,
    }),
  );
  const links = [...sheets.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`])];
  links.push(['sharedStrings', 'sharedStrings.xml'], ['styles', 'styles.xml']);
  return [
    {
      name: '[Content_Types].xml',
      content: `${xmlHeader}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    },
    { name: '_rels/.rels', content: relationshipsXml([['officeDocument', 'xl/workbook.xml']]) },
    {
      name: 'xl/workbook.xml',
      content: `${xmlHeader}<workbook ${mainNamespace} xmlns:r="${officeNamespace}"><sheets>${sheets
        .map(({ name, state }, index) => {
          const hidden = state ? ` state="${state}"` : '';
          return `<sheet name="${name}" sheetId="${index + 1}"${hidden} r:id="rId${index + 1}"/>`;
        })
        .join('')}</sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: relationshipsXml(links) },
    ...worksheets,
    {
      name: 'xl/sharedStrings.xml',
      content: `${xmlHeader}<sst ${mainNamespace}>${strings.map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`).join('')}</sst>`,
    },
    {
      name: 'xl/styles.xml',
      content: `${xmlHeader}<styleSheet ${mainNamespace}><numFmts count="${formats.length}">${formats.map((format, index) => `<numFmt numFmtId="${164 + index}" formatCode="${escapeXml(format)}"/>`).join('')}</numFmts><cellXfs count="${3 + formats.length}"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="10" applyNumberFormat="1"/>${formats.map((_, index) => `<xf numFmtId="${164 + index}" applyNumberFormat="1"/>`).join('')}</cellXfs></styleSheet>`,
    },
  ];
}

const xmlHeader = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const officeNamespace = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const mainNamespace = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

function relationshipsXml(links: readonly (readonly string[])[]): string {
  const relationships = links.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${officeNamespace}/${type}" Target="${target}"/>`,
  );
  return `${xmlHeader}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relationships.join('')}</Relationships>`;
}

function columnsXml(hidden: readonly number[] = []): string {
  const elements = hidden.map((column) => `<col min="${column}" max="${column}" width="0" hidden="1"/>`);
  return elements.length > 0 ? `<cols>${elements.join('')}</cols>` : '';
}

/** The shared strings and number formats of a workbook, to which cells add. */
interface SharedParts {
  strings: string[];
  formats: string[];
}

function cellWriter(
  { strings, formats }: SharedParts,
  row: number,
): (cell: CellContent, column: number) => string {
  return (cell, column) => {
    const cellStart = `<c r="${String.fromCharCode(65 + column)}${row + 1}"`;
    if (cell === null) return '';
    if (typeof cell === 'object' && 'number' in cell)
      return `${cellStart} s="${formats.push(cell.format) + 2}"><v>${cell.number}</v></c>`;
    if (typeof cell === 'object') return `${cellStart} ${cell.xml.replace(/^>/, '>')}</c>`;
    if (typeof cell === 'number') return `${cellStart}><v>${cell}</v></c>`;
    if (typeof cell === 'boolean') return `${cellStart} t="b"><v>${Number(cell)}</v></c>`;
    return `${cellStart} t="s"><v>${strings.push(cell) - 1}</v></c>`;
  };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
