/** Reads text as people type it into a form: "5 kg", "1,000", "20%", "5pm", "tomorrow", a phone number with spaces. */

import { toAsciiDigits } from '../../api/contract/ascii-digits.ts';
import { dateOrderOf, parseNamedDate, toApiDate } from '../../api/contract/date-formats.ts';
import { isDate } from '../../api/contract/date-time.ts';
import type { Field, Kind } from '../../api/contract/field.ts';
import { parsePhone } from '../../api/contract/phone-numbers.ts';
import { parseValue } from '../../api/contract/value-text.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { foldUnit } from '../../base/units.ts';
import { parseBorder } from '../input/flag-values.ts';

/**
 * A parsed value, or a problem. `display` is the text of the value, if it differs from the input. `otherFields` has values
 * of other fields, such as the calling code of a phone number.
 */
export type ParsedAnswer =
  | { value: unknown; display?: string | undefined; otherFields?: Record<string, unknown>; problem?: never }
  | { problem: string; value?: never; display?: never; otherFields?: never };

export interface ParseContext {
  now: Date;
  /** The unit of a number: "kg". */
  unit?: string | undefined;
  /** A description of the unit: "storage units", "percent". The default is the unit of the field. */
  unitDescription?: string | undefined;
  /** The folder that replaces `~` in a path. */
  home?: string | undefined;
}

export function parseAnswer(field: Field, input: string, context: ParseContext): ParsedAnswer {
  const text = input.trim();
  const normalized = kindParsers[field.kind](field, text, context);
  if ('problem' in normalized) return normalized;
  const parsed = parseValue(field, normalized.text);
  if (parsed.problem !== undefined) return { problem: parsed.problem };
  return {
    value: parsed.value,
    display: normalized.display,
    ...(normalized.otherFields && { otherFields: normalized.otherFields }),
  };
}

type NormalizedInput =
  | { text: string; display?: string | undefined; otherFields?: Record<string, unknown> }
  | { problem: string };

const keepText = (_: Field, text: string): NormalizedInput => ({ text });

/** The parsers by kind of field: a new kind has to be added here to compile. */
const kindParsers: Readonly<
  Record<Kind, (field: Field, text: string, context: ParseContext) => NormalizedInput>
> = {
  text: (field, text) => (field.traits.form === 'phone' ? parsePhoneText(field, text) : { text }),
  integer: parseNumber,
  decimal: parseNumber,
  numeric_text: parseNumber,
  hour: (_, text) => parseHour(text),
  date: (_, text, { now }) => parseDay(text, now),
  ring: (_, text, { home }) => parseBorder(text, home),
  boolean: keepText,
  timestamp: keepText,
  choice: keepText,
  unit: keepText,
  words: keepText,
  integers: keepText,
  ids: keepText,
  one: keepText,
  many: keepText,
  object: keepText,
  objects: keepText,
};

/** Replaces the digits and number signs of Arabic and Persian keyboards with Latin characters. */
function toLatinDigits(text: string): string {
  return toAsciiDigits(text).replaceAll('٫', '.').replaceAll('٬', ',').replaceAll('٪', '%');
}

function parseNumber(
  { traits }: Field,
  input: string,
  { unit, unitDescription = traits.unit }: ParseContext,
): NormalizedInput {
  const latin = toLatinDigits(input);
  const [, number = '', suffix = ''] = /^([+-]?[\d.,]+)\s*(\D*)$/.exec(latin) ?? [];
  if (number === '') return { text: input };
  // "1,000" is a thousand; "2,5" is ambiguous and isn't parsed.
  const text = /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(number) ? number.replaceAll(',', '') : number;
  const isPercent = unitDescription === undefined || unitDescription === 'percent';
  const isSameUnit = unit !== undefined && foldUnit(suffix) === foldUnit(unit);
  const isExpectedUnit = suffix === '' || (suffix === '%' && isPercent) || isSameUnit;
  if (!isExpectedUnit) {
    const expected = unit ?? unitDescription ?? 'plain numbers';
    return { problem: `must be in ${expected}, not "${suffix}"` };
  }
  const display = [text, suffix === '%' ? 'percent' : (unit ?? '')].filter(Boolean).join(' ');
  return { text, display: display === input ? undefined : display };
}

function parseHour(input: string): NormalizedInput {
  const text = toLatinDigits(input).toLowerCase().replaceAll('.', '');
  const namedHours: Record<string, number> = { noon: 12, midnight: 0 };
  const [, digits, dayHalf] = /^(\d{1,2})(?::00)?\s*(am|pm)$/.exec(text) ?? [];
  const hour = digits === undefined ? namedHours[text] : (Number(digits) % 12) + (dayHalf === 'pm' ? 12 : 0);
  const isValid = digits === undefined || (Number(digits) >= 1 && Number(digits) <= 12);
  if (hour === undefined || !isValid) return { text };
  return { text: String(hour), display: `${String(hour).padStart(2, '0')}:00` };
}

const weekdayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Parses a day, such as "tomorrow", in local time. */
function parseDay(input: string, now: Date): NormalizedInput {
  const text = toLatinDigits(input).toLowerCase();
  const namedDays: Record<string, number> = { today: 0, tomorrow: 1, yesterday: -1 };
  const weekday = weekdayNames.findIndex((day) => text !== '' && (day === text || day.slice(0, 3) === text));
  const daysAhead = namedDays[text] ?? (weekday === -1 ? undefined : (weekday - now.getDay() + 7) % 7 || 7);
  const day =
    (daysAhead === undefined ? undefined : dateAfter(now, daysAhead)) ??
    parseNamedDate(text, now.getFullYear()) ??
    // 3/4/2026 is ambiguous (3 April or March 4); 23/4/2026 isn't.
    toApiDate(text, dateOrderOf(text) ?? 'ymd');
  if (day === input || !isDate(day)) return { text: day };
  return { text: day, display: `${day} (${capitalize(weekdayNames[new Date(day).getUTCDay()] ?? '')})` };
}

function dateAfter(now: Date, days: number): string {
  const date = new Date(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate() + days));
  return date.toISOString().slice(0, 10);
}

function parsePhoneText({ traits: { dialCode } }: Field, input: string): NormalizedInput {
  const parts = parsePhone(input);
  if (!parts) return { text: input };
  const { dialed, code, normalized } = parts;
  if (dialCode !== undefined && code !== undefined)
    return { text: dialed, display: `+${code} ${dialed}`, otherFields: { [dialCode]: Number(code) } };
  const text = dialCode === undefined ? normalized : dialed;
  return { text, display: text === input ? undefined : text };
}
