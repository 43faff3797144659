/** Reads text as people type it into a form: "5 kg", "1,000", "20%", "5pm", "tomorrow", a phone number with spaces. */

import { dateOrderOf, parseNamedDate, toApiDate } from '../contract/date-forms.ts';
import type { Field, Kind } from '../contract/field.ts';
import { isDate } from '../contract/moment.ts';
import { parsePhone } from '../contract/phone-form.ts';
import { toAsciiDigits } from '../contract/plain-digits.ts';
import { parseValue } from '../contract/text.ts';
import { capitalize } from '../contract/wording.ts';
import { borderIn } from '../input/field-texts.ts';

/**
 * A value that was read, or a problem. `display` is the text of the value, if it differs from the typed text. `otherFields`
 * has values of other fields, such as the calling code of a phone number.
 */
export type Interpreted =
  | { value: unknown; display?: string | undefined; otherFields?: Record<string, unknown>; problem?: never }
  | { problem: string; value?: never; display?: never; otherFields?: never };

/** The context of a typed text: the time, the unit and the home folder. */
export interface ReadingContext {
  now: Date;
  /** The unit of a number: "kg". */
  unit?: string | undefined;
  /** A description of the unit: "storage units", "percent". The default is the unit of the field. */
  unitDescription?: string | undefined;
  /** The folder that `~` stands for in a path. */
  home?: string | undefined;
}

/** Reads a typed text by the kind of its field. */
export function interpret(field: Field, typed: string, context: ReadingContext): Interpreted {
  const text = typed.trim();
  const meaning = kindReaders[field.kind](field, text, context);
  if ('problem' in meaning) return meaning;
  const read = parseValue(field, meaning.text);
  if (read.problem !== undefined) return { problem: read.problem };
  return {
    value: read.value,
    display: meaning.display,
    ...(meaning.otherFields && { otherFields: meaning.otherFields }),
  };
}

type Meaning =
  | { text: string; display?: string | undefined; otherFields?: Record<string, unknown> }
  | { problem: string };

const readPlain = (_: Field, text: string): Meaning => ({ text });

/** Readers by kind of field: a new kind has to be added here to compile. */
const kindReaders: Readonly<Record<Kind, (field: Field, text: string, context: ReadingContext) => Meaning>> =
  {
    text: (field, text) => (field.traits.form === 'phone' ? readPhone(field, text) : { text }),
    integer: readNumber,
    decimal: readNumber,
    numeric_text: readNumber,
    hour: (_, text) => readHour(text),
    date: (_, text, { now }) => readDay(text, now),
    ring: (_, text, { home }) => borderIn(text, home),
    boolean: readPlain,
    timestamp: readPlain,
    choice: readPlain,
    unit: readPlain,
    words: readPlain,
    integers: readPlain,
    ids: readPlain,
    one: readPlain,
    many: readPlain,
    object: readPlain,
    objects: readPlain,
  };

/** Replaces the digits and number signs of Arabic and Persian keyboards by Latin characters. */
function latinDigits(text: string): string {
  return toAsciiDigits(text).replaceAll('٫', '.').replaceAll('٬', ',').replaceAll('٪', '%');
}

function readNumber(
  { traits }: Field,
  typed: string,
  { unit, unitDescription = traits.unit }: ReadingContext,
): Meaning {
  const latin = latinDigits(typed);
  const [, digits = '', behind = ''] = /^([+-]?[\d.,]+)\s*(\D*)$/.exec(latin) ?? [];
  if (digits === '') return { text: typed };
  // "1,000" is a thousand; "2,5" is ambiguous and stays unread.
  const text = /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(digits) ? digits.replaceAll(',', '') : digits;
  const isPercent = unitDescription === undefined || unitDescription === 'percent';
  const isExpectedUnit = behind === '' || (behind === '%' && isPercent) || isSameUnit(behind, unit);
  if (!isExpectedUnit) {
    const expected = unit ?? unitDescription ?? 'plain numbers';
    return { problem: `must be in ${expected}, not "${behind}"` };
  }
  const shown = [text, behind === '%' ? 'percent' : (unit ?? '')].filter(Boolean).join(' ');
  return { text, display: shown === typed ? undefined : shown };
}

function isSameUnit(typed: string, unit: string | undefined): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/\.$/, '').trim();
  return unit !== undefined && [plain(unit), `${plain(unit)}s`].includes(plain(typed));
}

function readHour(typed: string): Meaning {
  const text = latinDigits(typed).toLowerCase().replaceAll('.', '');
  const namedHours: Record<string, number> = { noon: 12, midnight: 0 };
  const [, digits, dayHalf] = /^(\d{1,2})(?::00)?\s*(am|pm)$/.exec(text) ?? [];
  const hour = digits === undefined ? namedHours[text] : (Number(digits) % 12) + (dayHalf === 'pm' ? 12 : 0);
  const isValid = digits === undefined || (Number(digits) >= 1 && Number(digits) <= 12);
  if (hour === undefined || !isValid) return { text };
  return { text: String(hour), display: `${String(hour).padStart(2, '0')}:00` };
}

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Reads a day, such as "tomorrow", in local time. */
function readDay(typed: string, now: Date): Meaning {
  const text = latinDigits(typed).toLowerCase();
  const namedDays: Record<string, number> = { today: 0, tomorrow: 1, yesterday: -1 };
  const weekday = days.findIndex((day) => text !== '' && (day === text || day.slice(0, 3) === text));
  const daysAhead = namedDays[text] ?? (weekday === -1 ? undefined : (weekday - now.getDay() + 7) % 7 || 7);
  const day =
    (daysAhead === undefined ? undefined : dateAfter(now, daysAhead)) ??
    parseNamedDate(text, now.getFullYear()) ??
    // 3/4/2026 is ambiguous (3 April or March 4); 23/4/2026 isn't.
    toApiDate(text, dateOrderOf(text) ?? 'ymd');
  if (day === typed || !isDate(day)) return { text: day };
  return { text: day, display: `${day} (${capitalize(days[new Date(day).getUTCDay()] ?? '')})` };
}

function dateAfter(now: Date, days: number): string {
  const date = new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() + days));
  return date.toISOString().slice(0, 10);
}

function readPhone({ traits: { dialCode } }: Field, typed: string): Meaning {
  const parts = parsePhone(typed);
  if (!parts) return { text: typed };
  const { national, code, normalized } = parts;
  if (dialCode !== undefined && code !== undefined)
    return { text: national, display: `+${code} ${national}`, otherFields: { [dialCode]: Number(code) } };
  const text = dialCode === undefined ? normalized : national;
  return { text, display: text === typed ? undefined : text };
}
