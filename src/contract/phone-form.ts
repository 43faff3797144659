/** Phone numbers as people write them: what is the number, what its calling code, and how else it may be written. */
import type { Field } from './field.ts';
import { plainDigits } from './plain-digits.ts';

/** Calling codes of one and of two digits; all others have three. */
const shortCodes = /^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** What stands between the digits of a number, and marks of direction around them. */
const separators = /[\s().\-/\u2010-\u2015\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** The digits of a number with its calling code: no number within a country has as many, unless it begins with a zero. */
const leastInternational = 11;

/** A number that is written with its code has at least as many digits behind it. */
const leastNational = 6;

export interface PhoneParts {
  /** Digits alone, behind the calling code and the zero that is dialed within a country. */
  national: string;
  /** The calling code, where it is written: behind `+` or `00`. */
  code?: string | undefined;
  /** The digits as they stand there, with a `+` in the place of `00`. */
  plain: string;
}

/** Undefined for a text that is no phone number. */
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
 * The same for two ways to write what is most likely one number: `0599111222`, `599-111-222`, `+966 599 111 222` and
 * `966599111222`. The calling code isn't told apart, since it may stand in a field of its own. Undefined for a text that
 * is no phone number.
 */
export function nearPhone(text: string): string | undefined {
  const parts = phoneParts(text);
  if (!parts || parts.code !== undefined) return parts?.national;
  const { plain, national } = parts;
  const hasCode = plain.length >= leastInternational && national === plain;
  return hasCode ? plain.slice(codeOf(plain).length).replace(/^0+/, '') : national;
}

/** Whether two texts are most likely one number; never where both have a calling code, and not the same. */
export function isNearPhone(one: string, other: string): boolean {
  const [a, b] = [phoneParts(one), phoneParts(other)];
  const isOtherCode = a?.code !== undefined && b?.code !== undefined && a.code !== b.code;
  return !isOtherCode && a !== undefined && nearPhone(one) === nearPhone(other);
}

/** The ways to write a number that records mostly have, the text itself first; `isThorough` has those with separators, too. */
export function phoneSpellings(text: string, isThorough: boolean): string[] {
  const parts = phoneParts(text);
  const national = nearPhone(text);
  if (!parts || national === undefined || national.length < leastNational) return [text];
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

/** `599 111 222`, `59 911 1222`, the same with hyphens, and with what is dialed before it. */
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

/** A phone number as records should have it, or why its two parts contradict each other. */
type NormalizedPhone = { phone: string; code?: number | undefined } | { problem: string };

/**
 * Digits alone. Where the calling code has a field of its own (`dialCode`), it goes there, and the zero that is dialed
 * within a country goes away; else a `+` stays in front of it. A code is never guessed. Undefined for no phone number.
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
    return { problem: `is a number of +${code}, and ${dialCode} is ${known}` };
  if (code !== undefined) return { phone: national, code: Number(code) };
  const isRepeated = known !== '' && plain.startsWith(known) && plain.length >= leastInternational;
  return { phone: isRepeated ? plain.slice(known.length).replace(/^0+/, '') : national };
}

/** The same number with the calling code that stands in another field, for asking; nothing where there is none. */
export function withCallingCode(text: string, code: unknown): string[] {
  const parts = phoneParts(text);
  return parts && parts.code === undefined && code ? [`+${code}${parts.national}`] : [];
}

/** The same for all phone numbers of a body, by the names of its fields; what contradicts each other is left as it is. */
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
