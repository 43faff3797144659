/** Writes right values as spreadsheets, cash registers and people write them. */
import type { CellContent } from '../workbook/create-workbook.ts';
import { type CellKind, chance, type KnownTable, pick, type Random } from './records.ts';

/** How a file writes its values. */
export interface Writing {
  decimal: 'point' | 'comma';
  grouping: '' | ',' | '.' | ' ' | '\u00a0' | 'indian';
  currency: (amount: string) => string;
  date: 'iso' | 'dmy' | 'mdy' | 'named' | 'dotted';
  arabicDigits: boolean;
  /** A mark that keeps a code as text. */
  mark: '' | 'formula' | 'apostrophe';
  /** Invisible characters around texts. */
  margin: '' | ' ' | '\u00a0' | '\u200f';
}

export function drawWriting(random: Random, { columns }: KnownTable): Writing {
  const decimal = pick(random, ['point', 'point', 'comma'] as const);
  const grouping = pick(
    random,
    decimal === 'comma' ? (['', '', '.', ' '] as const) : (['', '', '', ',', '\u00a0', 'indian'] as const),
  );
  const riyals: Writing['currency'][] = [
    (amount) => `${amount} SAR`,
    (amount) => `SAR ${amount}`,
    (amount) => `${amount} ر.س`,
  ];
  const others: Writing['currency'][] = [(amount) => `${amount} €`, (amount) => `$${amount}`];
  const plain = Array<Writing['currency']>(4).fill((amount) => amount);
  // The header may name the currency, and a file has one.
  const isNamed = columns.some(({ title }) => title.includes('(SAR)'));
  const currency = pick(random, [...plain, ...riyals, ...(isNamed ? [] : others)]);
  return {
    decimal,
    grouping,
    currency,
    date: pick(random, ['iso', 'iso', 'dmy', 'mdy', 'named', 'dotted'] as const),
    arabicDigits: chance(random, 0.08),
    mark: pick(random, ['', '', '', '', 'formula', 'apostrophe'] as const),
    margin: pick(random, ['', '', '', ' ', '\u00a0', '\u200f'] as const),
  };
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const toArabicDigits = (text: string) =>
  text.replaceAll(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)));

function writeDay(value: string, { date }: Writing): string {
  const [year = '', month = '', day = ''] = value.split('-');
  if (date === 'dmy') return `${day}/${month}/${year}`;
  if (date === 'mdy') return `${month}/${day}/${year}`;
  if (date === 'dotted') return `${day}.${month}.${year}`;
  if (date === 'named') return `${day}-${months[Number(month) - 1]}-${year}`;
  return value;
}

function writeAmount(value: number, { decimal, grouping, currency }: Writing): string {
  const [whole = '', fraction = ''] = String(value).split('.');
  const groups =
    grouping === 'indian'
      ? whole.replace(/\B(?=(\d{2})*\d{3}$)/g, ',')
      : whole.replace(/\B(?=(\d{3})+$)/g, grouping);
  const point = decimal === 'comma' ? ',' : '.';
  return currency(fraction === '' ? groups : `${groups}${point}${fraction}`);
}

/** Returns the text of a value. */
export function writeText(
  value: string | number,
  kind: CellKind,
  { writing, table, random }: { writing: Writing; table: KnownTable; random: Random },
): string {
  const { language, resource } = table;
  if (kind === 'day') return withDigits(writeDay(String(value), writing), writing);
  if (kind === 'amount') return withDigits(writeAmount(Number(value), writing), writing);
  if (kind === 'number') return withDigits(String(value), writing);
  if (kind === 'word' && resource === 'customers') return language.gender[Number(value) - 1] ?? '';
  if (kind === 'word') return pick(random, ['1', 'fixed cost', 'Fixed Cost']);
  if (kind === 'code' && writing.mark === 'formula') return `="${value}"`;
  if (kind === 'code' && writing.mark === 'apostrophe') return `'${value}`;
  return `${writing.margin}${value}${writing.margin}`;
}

function withDigits(text: string, { arabicDigits }: Writing): string {
  return arabicDigits ? toArabicDigits(text) : text;
}

/** Returns the cell of a value in a workbook: a number or date cell where a spreadsheet makes one, else its text. */
export function writeCell(
  value: string | number,
  kind: CellKind,
  context: { writing: Writing; table: KnownTable; random: Random; native: boolean },
): CellContent {
  if (context.native) {
    if (kind === 'amount')
      return chance(context.random, 0.5)
        ? Number(value)
        : { number: Number(value), format: pick(context.random, ['#,##0.00', '0.000', '[$SAR] #,##0.000']) };
    if (kind === 'number') return Number(value);
    if (kind === 'day') {
      const serial = Math.round(Date.parse(String(value)) / 86_400_000) + 25_569;
      return { xml: `s="1"><v>${serial}</v>` };
    }
    if (kind === 'code' && /^\d+$/.test(String(value)))
      return { number: Number(value), format: '0'.repeat(String(value).length) };
  }
  return writeText(value, kind, context);
}
