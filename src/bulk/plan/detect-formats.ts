/** Detects how the numbers and dates of a file are written from its first rows, unless a flag says so. */

import { usage } from '../../base/errors.ts';
import { type DateForm, dateFormOf, isAmbiguousDate } from '../../contract/date-forms.ts';
import type { ColumnFor } from '../../tables/columns/header.ts';
import { type DecimalMark, isOpenNumber, markIn, withoutPercent } from '../../tables/columns/numbers.ts';
import type { ImportOptions } from '../../tables/columns/options.ts';
import { numberIn, plainFormats, type ValueFormats } from '../../tables/columns/read-cell.ts';
import type { CsvTable } from '../../tables/csv.ts';
import { isTyped, type Table } from '../../tables/table.ts';
import { isShare } from '../../tables/workbook/cell.ts';

/** How many rows are checked. A later row that is written differently is an invalid row. */
const maxSampledRows = 2000;

/** What the detection reads. */
export interface Asking extends Pick<ImportOptions, 'decimal' | 'dates'> {
  table: Table;
  columnFor: ColumnFor;
  /** The name of the file in messages: "The file prices.csv". */
  label: string;
  /** Whether the command has the flags `--decimal` and `--dates`. */
  hasFlags: boolean;
}

/**
 * Returns how numbers and dates are written. Throws a usage failure with the lines that contradict each other, or with
 * those that can be read in two ways.
 */
export async function detectFormats(asking: Asking): Promise<ValueFormats> {
  const { table, columnFor, decimal, dates } = asking;
  if (!isTyped(table.form)) return plainFormats;
  const marks = new Evidence<DecimalMark>();
  const forms = new Evidence<DateForm>();
  const currencies = new Map<string, Seen>();
  let count = 0;
  for await (const { line, cells } of table.rows()) {
    for (const [name, cell] of cells) {
      const column = columnFor(name);
      // Numbers of a sheet are numbers already, and percentages of a sheet show nothing.
      const isText = typeof cell === 'string' && !(table.form === 'xlsx' && isShare(cell));
      if (!isText || cell === '' || !column?.field) continue;
      const { number, currency } = numberIn(column.field, cell);
      if (currency !== undefined && !currencies.has(currency)) currencies.set(currency, { text: cell, line });
      const text = withoutPercent(number);
      const { kind } = column.field;
      if (kind === 'decimal' || kind === 'numeric_text' || kind === 'integer') {
        marks.note(text, line, markIn(text), isOpenNumber(text));
      } else if (kind === 'date') forms.note(text, line, dateFormOf(text), isAmbiguousDate(text));
      else if (column.role === 'updated_at') {
        const [day = ''] = text.trim().split(/[ T]/);
        forms.note(day, line, dateFormOf(day), isAmbiguousDate(day));
      }
    }
    if (++count >= maxSampledRows) break;
  }
  refuseSeveral(asking.label, currencies);
  // Programs that separate cells by commas write fractions with a point. For other programs it isn't known.
  const isWithCommas = !('dialect' in table) || (table as CsvTable).dialect.delimiter.startsWith(',');
  const isUsual = (text: string) => isWithCommas && !text.includes(',');
  const isGiven = decimal !== undefined || marks.isClear;
  return {
    decimal: decimal ?? marks.decide('point', inNumbers, asking, isUsual),
    dates: dates ?? forms.decide('ymd', inDays, asking, () => false),
    // If the checked rows don't show it, it is unknown for the later rows too.
    unclear: isGiven ? undefined : isWithCommas ? 'commas' : 'all',
    currency: [...currencies.keys()][0],
  };
}

/** The messages about values that can be read in two ways. */
interface Words {
  what: string;
  flags: string;
  otherwise: string;
}

const inNumbers: Words = {
  what: 'numbers',
  flags: '--decimal comma or --decimal point',
  otherwise: 'Or write it without a separator (1234) or with four decimals (1.2340).',
};
const inDays: Words = {
  what: 'days',
  flags: '--dates dmy, mdy or ymd',
  otherwise: 'Or write dates as YYYY-MM-DD: 2026-12-31.',
};

interface Seen {
  text: string;
  line: number;
}

/**
 * Throws a usage failure if a file has amounts in several currencies. An account has one currency and its amounts name
 * none, so that the amounts in another one would be wrong.
 */
function refuseSeveral(label: string, currencies: ReadonlyMap<string, Seen>): void {
  const [first, second] = currencies.values();
  if (!first || !second) return;
  const places = `${first.text} in line ${first.line}, ${second.text} in line ${second.line}`;
  throw usage(`${label} has amounts in two currencies: ${places}.`, {
    hint: "Write all amounts in the account's currency, with the same currency sign or none.",
  });
}

class Evidence<Form extends string> {
  readonly #clear = new Map<Form, Seen>();
  #open: Seen | undefined;

  /** Dates with the year first are read the same way in any file. */
  get #clearForms(): [Form, Seen][] {
    return [...this.#clear].filter(([form]) => form !== 'ymd');
  }

  get isClear(): boolean {
    return this.#clearForms.length > 0;
  }

  note(text: string, line: number, form: Form | undefined, isOpen: boolean): void {
    if (form !== undefined) {
      if (!this.#clear.has(form)) this.#clear.set(form, { text, line });
    } else if (isOpen) this.#open ??= { text, line };
  }

  decide(
    usual: Form,
    { what, flags, otherwise }: Words,
    { label, hasFlags }: Asking,
    isUsual: (text: string) => boolean,
  ): Form {
    const [first, second] = this.#clearForms;
    if (first && second) {
      const [a, b] = [first[1], second[1]];
      const places = `${a.text} in line ${a.line}, ${b.text} in line ${b.line}`;
      throw usage(`${label} has ${what} in two formats: ${places}.`, {
        hint: hasFlags
          ? `Choose one: ${flags}. Rows in the other format become invalid.`
          : 'Use the same format for all of them.',
      });
    }
    if (first) return first[0];
    if (this.#open === undefined || isUsual(this.#open.text)) return usual;
    const { text, line } = this.#open;
    throw usage(`${label} has ambiguous ${what}: ${text} in line ${line}.`, {
      hint: hasFlags ? `Choose one: ${flags}.` : otherwise,
    });
  }
}
