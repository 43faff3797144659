/** Phone numbers as people write them: their calling code, their national number, and their other notations. */
import type { Field } from './field.ts';
import { plainDigits } from './plain-digits.ts';

/** Matches calling codes of one and two digits; all others have three. */
const shortCodes = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** Separators between digits, and direction marks. */
const separators = /[\s().\-/\u2010-\u2015\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Numbers with at least this many digits and no leading zero include a calling code. */
const minInternationalDigits = 11;

/** The fewest digits of a national number that is written with a calling code. */
const minNationalDigits = 6;

/** The parts of a phone number. */
export interface PhoneParts {
  /** The digits after the calling code, without leading zeros. */
  national: string;
  /** The calling code, if it is written after `+` or `00`. */
  code?: string | undefined;
  /** The digits as written, with `+` in place of `00`. */
  plain: string;
}

/** Returns the parts of a phone number; undefined if the text isn't one. */
export function phoneParts(text: string): PhoneParts | undefined {
  const plain = plainDigits(text)
    .replaceAll(separators, '')
    .replace(/^00(?=[1-9])/, '+');
  if (!/^\+?\d{3,}$/.test(plain)) return undefined;
  if (!plain.startsWith('+')) return { national: plain.replace(/^0+/, ''), plain };
  const digits = plain.slice(1);
  const code = codeOf(digits);
  return { national: digits.slice(code.length).replace(/^0+/, ''), code, plain };
}

function codeOf(digits: string): string {
  return shortCodes.exec(digits)?.[0] ?? digits.slice(0, 3);
}

/**
 * Returns a form that is the same for notations that are most likely one number: `0599111222`, `599-111-222`,
 * `+966 599 111 222` and `966599111222`. It ignores the calling code, which may be in a separate field. Undefined if the
 * text isn't a phone number.
 */
export function similarPhoneForm(text: string): string | undefined {
  const parts = phoneParts(text);
  if (!parts || parts.code !== undefined) return parts?.national;
  const { plain, national } = parts;
  const hasCode = plain.length >= minInternationalDigits && national === plain;
  return hasCode ? plain.slice(codeOf(plain).length).replace(/^0+/, '') : national;
}

/** Whether two texts are most likely the same number; false if they have different calling codes. */
export function isSimilarPhone(one: string, other: string): boolean {
  const [a, b] = [phoneParts(one), phoneParts(other)];
  const isOtherCode = a?.code !== undefined && b?.code !== undefined && a.code !== b.code;
  return !isOtherCode && a !== undefined && similarPhoneForm(one) === similarPhoneForm(other);
}

/** Returns the usual notations of a number, first the text itself; with `isThorough` also those with separators. */
export function phoneSpellings(text: string, isThorough: boolean): string[] {
  const parts = phoneParts(text);
  const national = similarPhoneForm(text);
  if (!parts || national === undefined || national.length < minNationalDigits) return [text];
  const { plain } = parts;
  const guessed =
    plain.length - national.length > 1 ? plain.slice(0, -national.length).replace(/^\+/, '') : '';
  const code = parts.code ?? (guessed.startsWith('0') ? '' : guessed);
  const prefixes = ['', '0', ...(code === '' ? [] : [`+${code}`, code, `00${code}`])];
  const joined = prefixes.map((prefix) => `${prefix}${national}`);
  if (!isThorough) return [...new Set([text, plain, ...joined])];
  const grouped = prefixes.slice(0, 3).flatMap((prefix) => groupings(prefix, national));
  return [...new Set([text, plain, ...joined, ...grouped])];
}

/** Returns a number with separators: `599 111 222`, `59 911 1222`, the same with hyphens, each after the prefix. */
function groupings(prefix: string, national: string): string[] {
  const three = [national.slice(0, -6), national.slice(-6, -3), national.slice(-3)];
  const four = [national.slice(0, -7), national.slice(-7, -4), national.slice(-4)];
  return [three, four].flatMap((groups) =>
    [' ', '-'].map((between) => {
      const number = groups.filter((group) => group !== '').join(between);
      return prefix.startsWith('+') ? `${prefix}${between}${number}` : `${prefix}${number}`;
    }),
  );
}

/** A phone number as records should have it, or why it contradicts the calling code. */
type NormalizedPhone = { phone: string; code?: number | undefined } | { problem: string };

/**
 * Reduces a phone number to its digits. If the calling code has its own field (`dialCode`), it is moved there and the
 * leading zero is removed; otherwise a `+` is kept. A code is never guessed. Undefined if the text isn't a phone number.
 */
function normalizedPhone(
  { traits: { dialCode } }: Field,
  text: string,
  given: unknown,
): NormalizedPhone | undefined {
  const parts = phoneParts(text);
  if (!parts) return undefined;
  if (dialCode === undefined) return { phone: parts.plain };
  const known = given ? String(given) : '';
  const { code, national, plain } = parts;
  if (code !== undefined && known !== '' && code !== known)
    return { problem: `has the calling code +${code}, but ${dialCode} is ${known}` };
  if (code !== undefined) return { phone: national, code: Number(code) };
  const isRepeated = known !== '' && plain.startsWith(known) && plain.length >= minInternationalDigits;
  return { phone: isRepeated ? plain.slice(known.length).replace(/^0+/, '') : national };
}

/** Returns the number with the calling code of another field, to query for it; empty if there is no code. */
export function withCallingCode(text: string, code: unknown): string[] {
  const parts = phoneParts(text);
  return parts && parts.code === undefined && code ? [`+${code}${parts.national}`] : [];
}

/** Normalizes all phone numbers of a body. Numbers that contradict their calling code are unchanged and listed in `problems`. */
export function withNormalizedPhones(
  fields: Iterable<readonly [name: string, field: Field]>,
  body: Readonly<Record<string, unknown>>,
): { body: Record<string, unknown>; problems: Record<string, string> } {
  const changed: Record<string, unknown> = { ...body };
  const problems: Record<string, string> = {};
  for (const [name, field] of fields) {
    const { form, dialCode } = field.traits;
    const text = Object.hasOwn(body, name) ? body[name] : undefined;
    if (form !== 'phone' || typeof text !== 'string') continue;
    const found = normalizedPhone(field, text, dialCode === undefined ? undefined : body[dialCode]);
    if (found === undefined) continue;
    if ('problem' in found) problems[name] = found.problem;
    else {
      changed[name] = found.phone;
      if (found.code !== undefined && dialCode !== undefined) changed[dialCode] = found.code;
    }
  }
  return { body: changed, problems };
}
