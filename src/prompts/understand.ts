/** Reads text as people type it into a form: "5 kg", "1,000", "20%", "5pm", "tomorrow", a phone number with spaces. */

import { dateFormOf, namedDay, plainDate } from '../contract/date-forms.ts';
import type { Field, Kind } from '../contract/field.ts';
import { isDate } from '../contract/moment.ts';
import { phoneParts } from '../contract/phone-form.ts';
import { plainDigits } from '../contract/plain-digits.ts';
import { readText } from '../contract/text.ts';
import { capitalized } from '../contract/wording.ts';
import { borderIn } from '../input/field-texts.ts';

/**
 * A value that was read, or a problem. `shown` is how the value is shown if that differs from the typed text; `beside` has
 * values of other fields, such as the calling code of a phone number.
 */
export type Interpreted =
  | { value: unknown; shown?: string | undefined; beside?: Record<string, unknown>; problem?: never }
  | { problem: string; value?: never; shown?: never; beside?: never };

/** What the meaning of a text depends on. */
export interface ReadingContext {
  now: Date;
  /** The unit of a number: "kg". */
  unit?: string | undefined;
  /** A description of the unit: "storage units", "percent". The default is the unit of the field. */
  described?: string | undefined;
  /** The folder that `~` stands for in a path. */
  home?: string | undefined;
}

/** Reads a typed text by the kind of its field. */
export function interpret(field: Field, typed: string, context: ReadingContext): Interpreted {
  const text = typed.trim();
  const meaning = meanings[field.kind](field, text, context);
  if ('problem' in meaning) return meaning;
  const read = readText(field, meaning.text);
  if (read.problem !== undefined) return { problem: read.problem };
  return { value: read.value, shown: meaning.shown, ...(meaning.beside && { beside: meaning.beside }) };
}

type Meaning =
  | { text: string; shown?: string | undefined; beside?: Record<string, unknown> }
  | { problem: string };

const plain = (_: Field, text: string): Meaning => ({ text });

/** Readers by kind of field: a new kind has to be added here to compile. */
const meanings: Readonly<Record<Kind, (field: Field, text: string, context: ReadingContext) => Meaning>> = {
  text: (field, text) => (field.traits.form === 'phone' ? phoneIn(field, text) : { text }),
  integer: numberIn,
  decimal: numberIn,
  numeric_text: numberIn,
  hour: (_, text) => hourIn(text),
  date: (_, text, { now }) => dayIn(text, now),
  ring: (_, text, { home }) => borderIn(text, home),
  boolean: plain,
  timestamp: plain,
  choice: plain,
  unit: plain,
  words: plain,
  integers: plain,
  ids: plain,
  one: plain,
  many: plain,
  object: plain,
  objects: plain,
};

/** Replaces digits and number signs of Arabic and Persian keyboards by Latin ones. */
function latinDigits(text: string): string {
  return plainDigits(text).replaceAll('٫', '.').replaceAll('٬', ',').replaceAll('٪', '%');
}

function numberIn(
  { traits }: Field,
  typed: string,
  { unit, described = traits.unit }: ReadingContext,
): Meaning {
  const latin = latinDigits(typed);
  const [, digits = '', behind = ''] = /^([+-]?[\d.,]+)\s*(\D*)$/.exec(latin) ?? [];
  if (digits === '') return { text: typed };
  // "1,000" is a thousand; "2,5" is ambiguous and stays unread.
  const text = /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(digits) ? digits.replaceAll(',', '') : digits;
  const isPercent = described === undefined || described === 'percent';
  const isKnown = behind === '' || (behind === '%' && isPercent) || isSameUnit(behind, unit);
  if (!isKnown) {
    const expected = unit ?? described ?? 'plain numbers';
    return { problem: `must be in ${expected}, not "${behind}"` };
  }
  const shown = [text, behind === '%' ? 'percent' : (unit ?? '')].filter(Boolean).join(' ');
  return { text, shown: shown === typed ? undefined : shown };
}

function isSameUnit(typed: string, unit: string | undefined): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\.$/, '').trim();
  return unit !== undefined && [plain(unit), `${plain(unit)}s`].includes(plain(typed));
}

function hourIn(typed: string): Meaning {
  const text = latinDigits(typed).toLowerCase().replaceAll('.', '');
  const named: Record<string, number> = { noon: 12, midnight: 0 };
  const [, digits, half] = /^(\d{1,2})(?::00)?\s*(am|pm)$/.exec(text) ?? [];
  const hour = digits === undefined ? named[text] : (Number(digits) % 12) + (half === 'pm' ? 12 : 0);
  const isRight = digits === undefined || (Number(digits) >= 1 && Number(digits) <= 12);
  if (hour === undefined || !isRight) return { text };
  return { text: String(hour), shown: `${String(hour).padStart(2, '0')}:00` };
}

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
/** Reads a day, such as "tomorrow" in local time. */
function dayIn(typed: string, now: Date): Meaning {
  const text = latinDigits(typed).toLowerCase();
  const near: Record<string, number> = { today: 0, tomorrow: 1, yesterday: -1 };
  const weekday = days.findIndex((day) => text !== '' && (day === text || day.slice(0, 3) === text));
  const ahead = near[text] ?? (weekday === -1 ? undefined : (weekday - now.getDay() + 7) % 7 || 7);
  const day =
    (ahead === undefined ? undefined : dayAhead(now, ahead)) ??
    namedDay(text, now.getFullYear()) ??
    // 3/4/2026 is ambiguous (3 April or March 4); 23/4/2026 isn't.
    plainDate(text, dateFormOf(text) ?? 'ymd');
  if (day === typed || !isDate(day)) return { text: day };
  return { text: day, shown: `${day} (${capitalized(days[new Date(day).getUTCDay()] ?? '')})` };
}

function dayAhead(now: Date, ahead: number): string {
  const date = new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() + ahead));
  return date.toISOString().slice(0, 10);
}

function phoneIn({ traits: { dialCode } }: Field, typed: string): Meaning {
  const parts = phoneParts(typed);
  if (!parts) return { text: typed };
  const { national, code, plain } = parts;
  if (dialCode !== undefined && code !== undefined)
    return { text: national, shown: `+${code} ${national}`, beside: { [dialCode]: Number(code) } };
  const text = dialCode === undefined ? plain : national;
  return { text, shown: text === typed ? undefined : text };
}
