/** Builds workbooks part by part, including parts that our own writer would not produce. */
import { type Part, zip } from './zip.ts';

/** `1.5`, `"text"`, `true`; or the XML within and around the cell's value. */
export type MadeCell = string | number | boolean | null | { xml: string };

export interface MadeSheet {
  name: string;
  rows: MadeCell[][];
  state?: 'hidden' | 'veryHidden';
  /** Numbers of hidden rows or columns, from 1. */
  hidden?: { rows?: readonly number[]; columns?: readonly number[] };
  /** XML after the rows: `<mergeCells>…`. */
  more?: string;
}

/** Returns a day as a number with a date format. */
export const asDay = (serial: number) => ({ xml: `s="1"><v>${serial}</v>` });
/** Returns a number that is shown with seven digits, as codes and phone numbers are. */
export const asSevenDigits = (number: number) => ({ xml: `s="3"><v>${number}</v>` });
export const asFormula = (formula: string, value?: string) => ({
  xml: `><f>${formula}</f>${value === undefined ? '' : `<v>${value}</v>`}`,
});

export function book(...sheets: MadeSheet[]): Buffer {
  return zip(partsOf(sheets));
}

export function partsOf(sheets: readonly MadeSheet[]): Part[] {
  const strings: string[] = [];
  const worksheets = sheets.map(
    ({ rows, more = '', hidden = {} }, at): Part => ({
      name: `xl/worksheets/sheet${at + 1}.xml`,
      content: `${xml}<worksheet ${main}>${columnsOf(hidden.columns)}<sheetData>${rows
        .map(
          (cells, row) =>
            `<row r="${row + 1}"${hidden.rows?.includes(row + 1) ? ' hidden="1"' : ''}>${cells.map(cellIn(strings, row)).join('')}</row>`,
        )
        .join('')}</sheetData>${more}</worksheet>`,
    }),
  );
  const links = [...sheets.map((_, at) => ['worksheet', `worksheets/sheet${at + 1}.xml`])];
  links.push(['sharedStrings', 'sharedStrings.xml'], ['styles', 'styles.xml']);
  return [
    {
      name: '[Content_Types].xml',
      content: `${xml}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
    },
    { name: '_rels/.rels', content: relations([['officeDocument', 'xl/workbook.xml']]) },
    {
      name: 'xl/workbook.xml',
      content: `${xml}<workbook ${main} xmlns:r="${office}"><sheets>${sheets
        .map(({ name, state }, at) => {
          const hidden = state ? ` state="${state}"` : '';
          return `<sheet name="${name}" sheetId="${at + 1}"${hidden} r:id="rId${at + 1}"/>`;
        })
        .join('')}</sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: relations(links) },
    ...worksheets,
    {
      name: 'xl/sharedStrings.xml',
      content: `${xml}<sst ${main}>${strings.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
    },
    {
      name: 'xl/styles.xml',
      content: `${xml}<styleSheet ${main}><numFmts count="1"><numFmt numFmtId="164" formatCode="0000000"/></numFmts><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="10" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    },
  ];
}

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';

function relations(links: readonly (readonly string[])[]): string {
  const each = links.map(
    ([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${office}/${type}" Target="${target}"/>`,
  );
  return `${xml}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each.join('')}</Relationships>`;
}

function columnsOf(hidden: readonly number[] = []): string {
  const each = hidden.map((column) => `<col min="${column}" max="${column}" width="0" hidden="1"/>`);
  return each.length > 0 ? `<cols>${each.join('')}</cols>` : '';
}

function cellIn(strings: string[], row: number): (cell: MadeCell, column: number) => string {
  return (cell, column) => {
    const cellStart = `<c r="${String.fromCharCode(65 + column)}${row + 1}"`;
    if (cell === null) return '';
    if (typeof cell === 'object') return `${cellStart} ${cell.xml.replace(/^>/, '>')}</c>`;
    if (typeof cell === 'number') return `${cellStart}><v>${cell}</v></c>`;
    if (typeof cell === 'boolean') return `${cellStart} t="b"><v>${Number(cell)}</v></c>`;
    return `${cellStart} t="s"><v>${strings.push(cell) - 1}</v></c>`;
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
