/** Detects the formats of numbers and dates from the first rows of a file, unless flags set them. */
import { type DateOrder, dateOrderOf, isAmbiguousDate } from '../../../api/contract/date-formats.ts';
import { isMoney } from '../../../api/contract/field.ts';
import { usage } from '../../../base/errors.ts';
import { currencyCode, decimalsOf } from '../../tables/columns/amounts.ts';
import type { ColumnFor } from '../../tables/columns/match-header.ts';
import {
  type DecimalSeparator,
  detectDecimalSeparator,
  isAmbiguousNumber,
  withoutPercent,
} from '../../tables/columns/numbers.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { hasDefaultSeparator, splitNumber, type ValueFormats } from '../../tables/columns/parse-cell.ts';
import { splitColumnName } from '../../tables/columns/synonyms.ts';
import type { CsvTable } from '../../tables/csv.ts';
import { FormattedCell, type Table } from '../../tables/table.ts';
import { isPercentText } from '../../tables/workbook/cell.ts';

/** The number of rows of a text file that are checked. A later row in another format is invalid. */
const maxSampledRows = 2000;

/** The table to check, and the formats that flags have set. */
export interface DetectionInput extends Pick<ImportOptions, 'decimal' | 'dates'> {
  table: Table;
  columnFor: ColumnFor;
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  /** Whether the command has the flags `--decimal` and `--dates`. */
  hasFlags: boolean;
}

/**
 * Returns the formats of numbers and dates. Throws a usage failure that names the lines if formats contradict each other
 * or are ambiguous.
 */
export async function detectFormats(input: DetectionInput): Promise<ValueFormats> {
  const { table, columnFor, decimal, dates } = input;
  const separators = new FormatExamples<DecimalSeparator>();
  const dateOrders = new FormatExamples<DateOrder>();
  const currencies = new Map<string, Example & { currency: string }>();
  const [dateCells, dateTexts] = [new Map<string, Example>(), new Map<string, Example>()];
  // Programs that separate cells by commas write decimals with a point. Other programs may write either.
  const isCommaSeparated = !('dialect' in table) || (table as CsvTable).dialect.delimiter.startsWith(',');
  const isBook = table.format === 'xlsx';
  const currencyOf = namedCurrencies(input, currencies);
  let count = 0;
  for await (const { line, cells } of table.rows()) {
    for (const [name, cell] of cells) {
      const column = columnFor(name);
      if (cell instanceof FormattedCell && cell.number === undefined && !dateCells.has(name))
        dateCells.set(name, { text: cell.text, line });
      // Number cells and percentages of a sheet have no format to detect.
      const isText = typeof cell === 'string' && !(isBook && isPercentText(cell));
      if (!isText || cell === '' || !column?.field) continue;
      const { number, currency = currencyOf.get(name) } = splitNumber(column.field, cell);
      const code = currencyCode(currency ?? '');
      if (code !== undefined && currency !== undefined && !currencies.has(code))
        currencies.set(code, { text: cell, line, currency });
      const text = withoutPercent(number);
      const { kind } = column.field;
      if (kind === 'decimal' || kind === 'numeric_text' || kind === 'integer') {
        // In a workbook, only the row is refused.
        const isDefault =
          isCommaSeparated && hasDefaultSeparator(column.field, text, isBook ? undefined : currency);
        const separator = detectDecimalSeparator(text, decimalsOf({ number, currency }));
        separators.add(cell, line, separator, isAmbiguousNumber(text) && !isDefault);
      } else if (kind === 'date') {
        const order = dateOrderOf(text);
        dateOrders.add(text, line, order, isAmbiguousDate(text));
        if (order !== undefined && order !== 'ymd' && !dateTexts.has(name))
          dateTexts.set(name, { text, line });
      } else if (column.role === 'updated_at') {
        const [day = ''] = text.trim().split(/[ T]/);
        dateOrders.add(day, line, dateOrderOf(day), isAmbiguousDate(day));
      }
    }
    if (++count >= maxSampledRows && !isBook) break;
  }
  refuseSeveralCurrencies(input.label, currencies);
  if (dates === undefined) refuseMixedDates(input, dateCells, dateTexts);
  const isDecided = decimal !== undefined || separators.hasFormat;
  const isPointDefault = isCommaSeparated && currencyOf.size === 0;
  return {
    decimal: decimal ?? separators.decide('point', numberMessage, input),
    dates: dates ?? dateOrders.decide('ymd', dateMessage, input),
    // If the checked rows are ambiguous, an ambiguous number in a later row is an error.
    refusedNumbers: isDecided ? undefined : isPointDefault ? 'commas' : 'all',
    currency: [...currencies.values()][0]?.currency,
  };
}

/** Returns the currencies that names of columns contain, and adds them to the currencies of the file. */
function namedCurrencies(
  { table: { columns = [], headerRow = 1 }, columnFor }: DetectionInput,
  currencies: Map<string, Example & { currency: string }>,
): ReadonlyMap<string, string> {
  const currencyOf = new Map<string, string>();
  for (const name of columns) {
    const { currency } = splitColumnName(name);
    const field = currency === undefined ? undefined : columnFor(name)?.field;
    if (currency === undefined || !field || !isMoney(field)) continue;
    currencyOf.set(name, currency);
    currencies.set(currencyCode(currency) ?? currency, { text: name, line: headerRow, currency });
  }
  return currencyOf;
}

/** The parts of the messages about ambiguous values. */
interface FormatMessage {
  subject: string;
  flags: string;
  alternative: string;
}

const numberMessage: FormatMessage = {
  subject: 'numbers',
  flags: '--decimal comma or --decimal point',
  alternative: 'Or write it without a separator (1234) or with four decimals (1.2340).',
};
const dateMessage: FormatMessage = {
  subject: 'dates',
  flags: '--dates dmy, mdy or ymd',
  alternative: 'Or write dates as YYYY-MM-DD: 2026-12-31.',
};

interface Example {
  text: string;
  line: number;
}

/**
 * Throws a usage failure if a file has amounts in several currencies. All amounts of an account are in its currency, so
 * amounts in another currency would be wrong.
 */
function refuseSeveralCurrencies(label: string, currencies: ReadonlyMap<string, Example>): void {
  const [first, second] = currencies.values();
  if (!first || !second) return;
  const examples = `${first.text} in line ${first.line}, ${second.text} in line ${second.line}`;
  throw usage(`${label} has amounts in two currencies: ${examples}.`, {
    hint: "Write all amounts in the account's currency, with the same currency sign or none.",
  });
}

/**
 * Throws a usage failure if a column has dates and also texts such as 25/12/2026: a spreadsheet program that expects the month
 * first converts only days up to 12, and then day and month of these dates are swapped.
 */
function refuseMixedDates(
  { label, hasFlags }: DetectionInput,
  dateCells: ReadonlyMap<string, Example>,
  dateTexts: ReadonlyMap<string, Example>,
): void {
  for (const [name, text] of dateTexts) {
    const date = dateCells.get(name);
    if (!date) continue;
    throw usage(
      `${label} has dates and texts in the column ${name}: the date ${date.text} in line ${date.line}, the text ${text.text} in line ${text.line}. Day and month of the dates may be swapped.`,
      {
        hint: `Enter the column again with the same format in all cells.${hasFlags ? ` If the dates are right, add --dates ${dateOrderOf(text.text)}.` : ''}`,
      },
    );
  }
}

/** Collects the formats that the values of a file have, with an example of each. */
class FormatExamples<Format extends string> {
  readonly #unambiguous = new Map<Format, Example>();
  #ambiguous: Example | undefined;

  /** The formats in the file. Dates with the year first are ignored, because they can occur in any file. */
  get #formats(): [Format, Example][] {
    return [...this.#unambiguous].filter(([format]) => format !== 'ymd');
  }

  get hasFormat(): boolean {
    return this.#formats.length > 0;
  }

  add(text: string, line: number, format: Format | undefined, isAmbiguous: boolean): void {
    if (format !== undefined) {
      if (!this.#unambiguous.has(format)) this.#unambiguous.set(format, { text, line });
    } else if (isAmbiguous) this.#ambiguous ??= { text, line };
  }

  decide(
    defaultFormat: Format,
    { subject, flags, alternative }: FormatMessage,
    { label, hasFlags }: DetectionInput,
  ): Format {
    const [first, second] = this.#formats;
    if (first && second) {
      const [a, b] = [first[1], second[1]];
      const examples = `${a.text} in line ${a.line}, ${b.text} in line ${b.line}`;
      throw usage(`${label} has ${subject} in two formats: ${examples}.`, {
        hint: hasFlags
          ? `Choose one: ${flags}. Rows in the other format become invalid.`
          : 'Use the same format for all of them.',
      });
    }
    if (first) return first[0];
    if (this.#ambiguous === undefined) return defaultFormat;
    const { text, line } = this.#ambiguous;
    throw usage(`${label} has ambiguous ${subject}: ${text} in line ${line}.`, {
      hint: hasFlags ? `Choose one: ${flags}.` : alternative,
    });
  }
}
