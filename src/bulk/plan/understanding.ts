/** How the numbers and days of a file are written: found out from its first rows, or as it is said. */
import { usage } from '../../errors.ts';
import { type DateForm, formIn, isOpenDate } from '../columns/dates.ts';
import { type DecimalMark, isOpenNumber, markIn } from '../columns/numbers.ts';
import { plainUnderstanding, type Understanding } from '../columns/read-cell.ts';
import { isTyped, type Table } from '../tables/table.ts';
import type { ColumnFor } from './header.ts';
import type { ImportOptions } from './options.ts';

/** As many rows are looked at; one that says otherwise further down is a problem of that row. */
const looked = 2000;

/** Throws a usage failure with the lines that say different things, or with those that can be read in two ways. */
export async function understandingOf(
  table: Table,
  columnFor: ColumnFor,
  { decimal, dates }: Pick<ImportOptions, 'decimal' | 'dates'>,
): Promise<Understanding> {
  if (!isTyped(table.form)) return plainUnderstanding;
  const marks = new Evidence<DecimalMark>();
  const forms = new Evidence<DateForm>();
  let count = 0;
  for await (const { line, cells } of table.rows()) {
    for (const [name, cell] of cells) {
      const column = columnFor(name);
      // Numbers of a sheet are numbers.
      const text = typeof cell === 'string' ? cell : '';
      if (text === '' || !column?.field) continue;
      const { kind } = column.field;
      if (kind === 'decimal' || kind === 'numeric_text' || kind === 'integer') {
        marks.note(text, line, markIn(text), isOpenNumber(text));
      } else if (kind === 'date') forms.note(text, line, formIn(text), isOpenDate(text));
      else if (column.role === 'updated_at') {
        const [day = ''] = text.trim().split(/[ T]/);
        forms.note(day, line, formIn(day), isOpenDate(day));
      }
    }
    if (++count >= looked) break;
  }
  return {
    decimal:
      decimal ??
      marks.decide('point', 'numbers', '--decimal comma or --decimal point', (text) => !text.includes(',')),
    dates: dates ?? forms.decide('ymd', 'days', '--dates dmy, mdy or ymd', () => false),
  };
}

interface Seen {
  text: string;
  line: number;
}

class Evidence<Form extends string> {
  readonly #clear = new Map<Form, Seen>();
  #open: Seen | undefined;

  note(text: string, line: number, form: Form | undefined, isOpen: boolean): void {
    if (form !== undefined) {
      if (!this.#clear.has(form)) this.#clear.set(form, { text, line });
    } else if (isOpen) this.#open ??= { text, line };
  }

  /** Days with the year in front are the same whatever else is there. */
  decide(usual: Form, what: string, flag: string, isUsual: (text: string) => boolean): Form {
    const telling = [...this.#clear].filter(([form]) => form !== 'ymd');
    const [first, second] = telling;
    if (first && second) {
      const [a, b] = [first[1], second[1]];
      throw usage(
        `The ${what} of the file are written in two ways: ${a.text} in line ${a.line}, ${b.text} in line ${b.line}.`,
        {
          hint: `Say which is meant, and the others are told of row by row: ${flag}.`,
        },
      );
    }
    if (first) return first[0];
    if (this.#open === undefined || isUsual(this.#open.text)) return usual;
    throw usage(
      `The ${what} of the file can be read in two ways: ${this.#open.text} in line ${this.#open.line}.`,
      {
        hint: `Say which is meant: ${flag}.`,
      },
    );
  }
}
