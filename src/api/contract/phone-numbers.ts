/** Parses phone numbers in the notations that people use into calling code and national number. */

import { toAsciiDigits } from './ascii-digits.ts';
import type { Field } from './field.ts';

/** Matches the calling codes that are assigned (ITU-T E.164): of one and two digits, and of three digits. */
const codePattern = new RegExp(
  [
    '^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|21[12368]|2[2346]\\d|25[0-8]|29[01789]|3[57]\\d',
    '38[0-35-79]|42[013]|5[09]\\d|67[02-9]|68[0-35-9]|69[0-2]|80[08]|85[02356]|87[08]|88[0-3678]|96[0-8]|97[0-79]|99[2-8])',
  ].join('|'),
);

/** Matches the digits of a number that can exist: up to 15 with the calling code (ITU-T E.164). */
const digitsPattern = /^\d{3,15}$/;

/** The number of digits from which text is a phone number, and not an extension or a note. */
const minPhoneDigits = 7;

/** Matches separators between digits, and direction marks. */
const separatorPattern =
  /[\s().\-/\uff08\uff09\uff0d\u2010-\u2015\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** The minimum number of digits of a number without a leading zero that includes a calling code. */
const minInternationalDigits = 11;

/** The minimum number of digits of a national number that can have a calling code. */
const minNationalDigits = 6;

/** Matches a calling code, a space and the prefix of calls within the country: mostly 0. Italian numbers keep their zero. */
const trunkPattern =
  /^(?:(?:1 1|7 8)(?=\d{10}$)|36 06|370 8(?=\d{8}$)|375 80(?=\d{9}$)|(?:39|378|379) |\d* 0*)/;

export interface PhoneParts {
  /** The digits after the calling code, without leading zeros. */
  national: string;
  /** The digits to dial after the calling code, as records should have them: in Italy with the leading zero. */
  dialed: string;
  /** The calling code, if it is written after `+` or `00`. */
  code?: string | undefined;
  /** The digits as written, with `+` instead of `00`. */
  normalized: string;
}

/** Matches two numbers in one text, which are separated by a slash or a line break: `0551234567 / 0557654321`. */
const twoNumbersPattern =
  /^[^\d/\n]*(?:(?:\d[^\d/\n]*){8,}[/\n]\D*\d|(?:\d[^\d/\n]*){6,}[/\n](?:[^\d/\n]*\d){6})/;

/** Returns the parts of a phone number; undefined if the text isn't one that can exist. */
export function parsePhone(text: string): PhoneParts | undefined {
  // Programs that store numbers as fractions write 551234567.0.
  const written = toAsciiDigits(text).replace(/^(\s*\+?\d{4,})\.00?\s*$/, '$1');
  const normalized = written.replaceAll(separatorPattern, '').replace(/^(?:00(?=[1-9])|＋)/, '+');
  const digits = normalized.replace(/^\+/, '');
  if (!digitsPattern.test(digits) || twoNumbersPattern.test(written) || isRange(written)) return undefined;
  const code = normalized.startsWith('+') ? codePattern.exec(digits)?.[0] : '';
  const dialed = code === undefined ? '' : `${code} ${digits.slice(code.length)}`.replace(trunkPattern, '');
  const national = dialed.replace(/^0+/, '');
  return national === '' ? undefined : { national, dialed, ...(code !== '' && { code }), normalized };
}

/** Returns whether the digits at the end count on, as in `0551234592-93`, unlike the extension in `089 1234567-0`. */
function isRange(written: string): boolean {
  const rangePattern = /(?:\d\D*){4}(\d{3})\s*[-/\u2010-\u2015]\s*(\d{1,2})\s*$/;
  const [, base = '', last = ''] = rangePattern.exec(written) ?? [];
  const step = Number(last) - Number(base.slice(-last.length));
  return step > 0 && step < 10;
}

/**
 * Returns the national number, which is the same for notations that are most likely the same number: `0599111222`, `599-111-222`,
 * `+966 599 111 222` and `966599111222`. It excludes the calling code, which may be in a separate field. Returns undefined
 * if the text isn't a phone number.
 */
export function nationalNumberOf(text: string): string | undefined {
  const parts = parsePhone(text);
  if (!parts || parts.code !== undefined) return parts?.national;
  const { normalized, national } = parts;
  const hasCode = normalized.length >= minInternationalDigits && national === normalized;
  return hasCode ? normalized.slice(codePattern.exec(normalized)?.[0].length).replace(/^0+/, '') : national;
}

/** Returns whether two texts are most likely the same number; false if their calling codes differ. */
export function isSimilarPhone(a: string, b: string): boolean {
  const [partsA, partsB] = [parsePhone(a), parsePhone(b)];
  const hasOtherCode =
    partsA?.code !== undefined && partsB?.code !== undefined && partsA.code !== partsB.code;
  return !hasOtherCode && partsA !== undefined && nationalNumberOf(a) === nationalNumberOf(b);
}

/** Returns the usual notations of a number, starting with the text itself; with `isThorough` also notations with separators. */
export function phoneSpellings(text: string, isThorough: boolean): string[] {
  const parts = parsePhone(text);
  const national = nationalNumberOf(text);
  if (!parts || national === undefined || national.length < minNationalDigits) return [text];
  const { normalized } = parts;
  const possibleCode =
    normalized.length - national.length > 1 ? normalized.slice(0, -national.length).replace(/^\+/, '') : '';
  const code = parts.code ?? (possibleCode.startsWith('0') ? '' : possibleCode);
  const prefixes = ['', '0', ...(code === '' ? [] : [`+${code}`, code, `00${code}`])];
  const withoutSeparators = prefixes.map((prefix) => `${prefix}${national}`);
  if (!isThorough) return [...new Set([text, normalized, ...withoutSeparators])];
  const withSeparators = prefixes.slice(0, 3).flatMap((prefix) => groupings(prefix, national));
  return [...new Set([text, normalized, ...withoutSeparators, ...withSeparators])];
}

/** Returns a number with separators: `599 111 222`, `59 911 1222`, the same with hyphens, each after the prefix. */
function groupings(prefix: string, national: string): string[] {
  const groupsOfThree = [national.slice(0, -6), national.slice(-6, -3), national.slice(-3)];
  const groupsOfFour = [national.slice(0, -7), national.slice(-7, -4), national.slice(-4)];
  return [groupsOfThree, groupsOfFour].flatMap((groups) =>
    [' ', '-'].map((separator) => {
      const number = groups.filter((group) => group !== '').join(separator);
      return prefix.startsWith('+') ? `${prefix}${separator}${number}` : `${prefix}${number}`;
    }),
  );
}

/** A phone number in the form that records should have, or why it contradicts the calling code. */
type NormalizedPhone = { phone: string; code?: number | undefined } | { problem: string };

/**
 * Reduces a phone number to its digits. If the resource has a field for the calling code (`dialCode`), the code is moved
 * there and the trunk prefix is removed; otherwise a `+` is kept. A code is never guessed. Returns undefined if the text
 * isn't a phone number.
 */
function normalizePhone(
  { traits: { dialCode } }: Field,
  text: string,
  dialCodeValue: unknown,
): NormalizedPhone | undefined {
  const parts = parsePhone(text);
  if (!parts)
    return toAsciiDigits(text).replaceAll(/\D/g, '').length < minPhoneDigits
      ? undefined
      : {
          problem:
            'is not one possible phone number: one number per cell, with a calling code that exists and up to 15 digits',
        };
  const { code, dialed, normalized } = parts;
  if (dialCode === undefined) return { phone: code === undefined ? normalized : `+${code}${dialed}` };
  const currentCode = dialCodeValue ? String(dialCodeValue) : '';
  // Countries that share +1 may be stored with their area code: 1264.
  if (
    currentCode !== '' &&
    codePattern.exec(currentCode)?.[0] !== currentCode &&
    !/^1\d{3}$/.test(currentCode)
  )
    return { problem: `can't be normalized: ${dialCode} ${currentCode} is not a calling code` };
  if (code !== undefined && currentCode !== '' && code !== currentCode)
    return { problem: `has the calling code +${code}, but ${dialCode} is ${currentCode}` };
  if (code !== undefined) return { phone: dialed, code: Number(code) };
  const repeatsCode =
    currentCode !== '' && normalized.startsWith(currentCode) && normalized.length >= minInternationalDigits;
  const local = repeatsCode ? normalized.slice(currentCode.length) : normalized;
  const phone = `${currentCode} ${local}`.replace(trunkPattern, '');
  return digitsPattern.test(`${currentCode}${phone}`)
    ? { phone }
    : { problem: `has more than 15 digits with ${dialCode} ${currentCode}` };
}

/** Returns a number in international notation if its calling code is in another field of the record; other text unchanged. */
export function internationalNumber(
  field: Field | undefined,
  text: string,
  record: Readonly<Record<string, unknown>>,
): string {
  const code = record[field?.traits.dialCode ?? ''];
  const parts = code ? parsePhone(text) : undefined;
  return parts && parts.code === undefined ? `+${code}${nationalNumberOf(text)}` : text;
}

/** Returns the body with all phone numbers normalized. Numbers that contradict their calling code are unchanged and in `problems`. */
export function withPhonesNormalized(
  fields: Iterable<readonly [name: string, field: Field]>,
  body: Readonly<Record<string, unknown>>,
): { body: Record<string, unknown>; problems: Record<string, string> } {
  const normalizedBody: Record<string, unknown> = { ...body };
  const problems: Record<string, string> = {};
  for (const [name, field] of fields) {
    const { form, dialCode } = field.traits;
    const text = Object.hasOwn(body, name) ? body[name] : undefined;
    if (form !== 'phone' || typeof text !== 'string') continue;
    const phoneResult = normalizePhone(field, text, dialCode === undefined ? undefined : body[dialCode]);
    if (phoneResult === undefined) continue;
    if ('problem' in phoneResult) problems[name] = phoneResult.problem;
    else {
      normalizedBody[name] = phoneResult.phone;
      if (phoneResult.code !== undefined && dialCode !== undefined)
        normalizedBody[dialCode] = phoneResult.code;
    }
  }
  return { body: normalizedBody, problems };
}
