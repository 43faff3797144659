/**
 * Reads values as people type them, in forms, flags and files alike: "5 kg", "250 g", "1,000", "SAR 4.9", "20%", "5pm",
 * "tomorrow", "9 Feb 2027", a phone number with spaces.
 */
import { findUnit, foldUnit } from '../../base/units.ts';
import { toAsciiDigits } from './ascii-digits.ts';
import { dateOrderOf, parseNamedDate, toApiDate } from './date-formats.ts';
import { isDate } from './date-time.ts';
import type { Field } from './field.ts';
import { parsePhone } from './phone-numbers.ts';
import { parseValue } from './value-text.ts';
import { capitalize } from './wording.ts';

/**
 * A parsed value, or a problem. `display` is the text of the value, if it differs from the input. `otherFields` has values
 * of other fields, such as the calling code of a phone number.
 */
export type TypedValue =
  | { value: unknown; display?: string | undefined; otherFields?: Record<string, unknown>; problem?: never }
  | { problem: string; value?: never; display?: never; otherFields?: never };

export interface TypedContext {
  /** The time that "tomorrow" depends on. Without it, only days with a date are read. */
  now?: Date | undefined;
  /** The unit of a number: "kg". */
  unit?: string | undefined;
  /** A description of the unit: "storage units", "percent". The default is the unit of the field. */
  unitDescription?: string | undefined;
}

export function parseTyped(field: Field, input: string, context: TypedContext): TypedValue {
  const normalized = normalize(field, input.trim(), context);
  if ('problem' in normalized) return normalized;
  const { text, ...details } = normalized;
  const parsed = parseValue(field, text);
  return parsed.problem === undefined ? { value: parsed.value, ...details } : { problem: parsed.problem };
}

type NormalizedInput =
  | { text: string; display?: string | undefined; otherFields?: Record<string, unknown> }
  | { problem: string };

function normalize(field: Field, text: string, context: TypedContext): NormalizedInput {
  switch (field.kind) {
    case 'integer':
    case 'decimal':
    case 'numeric_text':
      return parseNumber(field, text, context);
    case 'hour':
      return parseHour(text);
    case 'date':
      return parseDay(text, context.now);
    case 'text':
      return field.traits.form === 'phone' ? parsePhoneText(field, text) : { text };
    default:
      return { text };
  }
}

/** Replaces the digits and number signs of Arabic and Persian keyboards with Latin characters. */
function toLatinDigits(text: string): string {
  return toAsciiDigits(text).replaceAll('٫', '.').replaceAll('٬', ',').replaceAll('٪', '%');
}

/** Matches the signs and ISO 4217 codes of currencies. */
const currencyPattern = /^(?:\p{Sc}|[A-Z]{3}|ر\.س|د\.إ)$/u;

function parseNumber(
  { traits }: Field,
  input: string,
  { unit, unitDescription = traits.unit }: TypedContext,
): NormalizedInput {
  const latin = toLatinDigits(input);
  const [, prefix = '', number = '', suffix = ''] =
    /^([^\d+.,-]*?)\s*([+-]?[\d.,]*\d[\d.,]*)\s*(\D*)$/.exec(latin) ?? [];
  if (number === '' || (prefix !== '' && !currencyPattern.test(prefix))) return { text: input };
  // "1,000" is a thousand; "2,5" is ambiguous and isn't parsed.
  const text = /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/.test(number) ? number.replaceAll(',', '') : number;
  const isPercent = unitDescription === undefined || unitDescription === 'percent';
  const isCurrency = unitDescription?.startsWith('currency') === true;
  const hasCurrency = [prefix, suffix].every((part) => part === '' || currencyPattern.test(part));
  const factor = suffix === '' ? 1 : unitFactor(suffix, unit);
  const isExpected =
    (prefix === '' && (factor !== undefined || (suffix === '%' && isPercent))) || (isCurrency && hasCurrency);
  if (!isExpected) {
    const expected = unit ?? unitDescription ?? 'plain numbers';
    return { problem: `must be in ${expected}, not "${[prefix, suffix].filter(Boolean).join(' ')}"` };
  }
  const converted =
    (factor ?? 1) === 1 ? text : String(Number((Number(text) * (factor ?? 1)).toPrecision(12)));
  const shownUnit = suffix === '%' ? 'percent' : (unit ?? (isCurrency ? prefix || suffix : ''));
  const display = [converted, shownUnit].filter(Boolean).join(' ');
  return { text: converted, display: display === input ? undefined : display };
}

/** Returns the number with which an amount in one unit becomes one in another; undefined if they can't be converted. */
function unitFactor(from: string, to: string | undefined): number | undefined {
  if (to === undefined) return undefined;
  if (foldUnit(from) === foldUnit(to)) return 1;
  const [source, target] = [findUnit(from), findUnit(to)];
  return source && target && source.measures === target.measures ? source.size / target.size : undefined;
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
function parseDay(input: string, now: Date | undefined): NormalizedInput {
  const text = toLatinDigits(input).toLowerCase();
  const namedDays: Record<string, number> = { today: 0, tomorrow: 1, yesterday: -1 };
  const weekday = weekdayNames.findIndex((day) => text !== '' && (day === text || day.slice(0, 3) === text));
  const nextWeekday = now && weekday !== -1 ? (weekday - now.getDay() + 7) % 7 || 7 : undefined;
  const daysAhead = namedDays[text] ?? nextWeekday;
  const day =
    (daysAhead === undefined || !now ? undefined : dateAfter(now, daysAhead)) ??
    parseNamedDate(text, now?.getFullYear()) ??
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

/** The time of a day at the end of a text: "18:00", "6pm", "6:30 pm", "noon". */
const timePattern =
  /(?:^|\s)(?:at\s+)?(?:(\d{1,2})(?::(\d{2}))?\s*(am|pm)|(\d{1,2}):(\d{2})|(noon|midnight))$/i;

/**
 * Returns a moment that is written with words as `YYYY-MM-DD HH:MM`: "Friday 6pm", "tomorrow", "9 Feb 2027 18:00". `now`
 * has today's date in its local time. Returns the text unchanged if it isn't such a moment.
 */
export function readMoment(input: string, now: Date): string {
  const text = toLatinDigits(input.trim());
  const [match = '', hour12, minute12 = '00', half, hour24, minute24 = '00', word] =
    timePattern.exec(text) ?? [];
  const dayText = text
    .slice(0, text.length - match.length)
    .replace(/,$/, '')
    .trim();
  const day = parseDay(dayText === '' ? 'today' : dayText, now);
  if ('problem' in day || !isDate(day.text) || isDate(text)) return input;
  const hours =
    word !== undefined
      ? word.toLowerCase() === 'noon'
        ? 12
        : 0
      : half === undefined
        ? Number(hour24 ?? 0)
        : (Number(hour12) % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  const minutes = half === undefined ? minute24 : minute12;
  return `${day.text} ${String(hours).padStart(2, '0')}:${minutes}`;
}
