/** Decides whether two keys are the same or only similar. Imports, manifests, lookups and upserts share these rules. */
import { foldText } from '../base/fold-text.ts';
import { redact } from '../base/redaction.ts';
import { toAsciiDigits } from './ascii-digits.ts';
import type { Field } from './field.ts';
import { nationalNumberOf, phoneSpellings } from './phone-numbers.ts';

/** Matches direction marks, byte order marks and zero-width spaces. Joiners and non-joiners have a meaning, so they aren't included. */
const invisiblePattern = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Matches printable ASCII with single spaces between words: nearly all keys. Such text has no other spelling. */
const plainPattern = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

const asciiPattern = /^[\x20-\x7e]*$/;

/** Returns whether a field contains codes, such as SKUs, references and barcodes. */
export function isCode(field: Field | undefined): boolean {
  return field?.traits.form === 'code' || field?.traits.digits === true;
}

/** Returns the text without direction marks, byte order marks and zero-width spaces. */
export function removeInvisible(text: string): string {
  return asciiPattern.test(text) ? text : text.replaceAll(invisiblePattern, '');
}

/**
 * Returns a key in the form that is compared with other keys: two keys with the same form identify the same record. The
 * form ignores differences that people can't see: composed and decomposed letters (NFC), invisible characters, and the number
 * of spaces. It also ignores the case of email addresses and the script of digits in phone numbers and barcodes. All
 * other differences, including case, make different keys (docs/decisions/0030-which-keys-are-the-same.md).
 */
export function normalizeKey(field: Field | undefined, unredacted: string): string {
  const { form, digits } = field?.traits ?? {};
  // Keys of records that were read have known secrets redacted, so this key is redacted, too.
  const text = redact(unredacted);
  const normalized = plainPattern.test(text)
    ? text
    : removeInvisible(text.normalize()).trim().replaceAll(/\s+/g, ' ') || text;
  if (form === 'email') return normalized.toLowerCase();
  return form === 'phone' || digits ? toAsciiDigits(normalized) : normalized;
}

/**
 * Returns a form that is the same for keys that people easily confuse: it ignores case, diacritics, the forms of alef, ya
 * and ta marbuta, tatweel, the script of digits, and the notation of phone numbers. Such keys are different, but boh warns
 * about them.
 */
export function foldKey(field: Field | undefined, text: string): string {
  const phone = field?.traits.form === 'phone' ? nationalNumberOf(text) : undefined;
  return phone ?? foldText(normalizeKey(field, text));
}

/** Returns the values for a filter that matches the whole value: all spellings of the text, and of a similar phone number. */
export function valuesToQuery(field: Field | undefined, text: string, isThorough: boolean): string[] {
  const variants = spellingsOf(field, text);
  return field?.traits.form === 'phone'
    ? [...new Set([...variants, ...phoneSpellings(text, isThorough)])]
    : variants;
}

const lineBreakPattern = /\r\n?|\n/g;

/** Returns whether the text has more than one line. */
export function hasLineBreaks(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}

/**
 * Returns the spellings that a text may have at the service, which matches exact values: other line breaks, composed and
 * decomposed letters, and the form of the key. The first is the text itself.
 */
export function spellingsOf(field: Field | undefined, text: string): string[] {
  const baseForms = [text, normalizeKey(field, text)];
  const forms = asciiPattern.test(text)
    ? baseForms
    : baseForms.flatMap((form) => [form, form.normalize('NFC'), form.normalize('NFD')]);
  const spellings = hasLineBreaks(text)
    ? forms.flatMap((form) => [
        form,
        ...['\n', '\r\n', '\r'].map((end) => form.replaceAll(lineBreakPattern, end)),
      ])
    : forms;
  return [...new Set(spellings)];
}

/** Matches spaces, separators and escapes of a query, invisible characters, and letters that can be decomposed. */
const variablePattern = /[\s,\\\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|.?\p{M}+/gsu;

/** The values for a filter that matches part of a text. */
export interface PartsToQuery {
  /** The longest part that is the same in every spelling of the key, so that one query finds the record. */
  common: string | undefined;
  /** The spellings of the whole text. A query for one of them returns fewer other records, but only records with this spelling. */
  whole: string[];
}

/** Returns the values to query for if the number of spaces and the composition of letters in the record are unknown. */
export function partsToQuery(field: Field | undefined, text: string): PartsToQuery {
  const isPlain = plainPattern.test(text);
  const whole = isPlain
    ? [text]
    : [...new Set(spellingsOf(field, text).map((spelling) => spelling.trim() || spelling))];
  if (isPlain && !/[ ,\\]/.test(text)) return { common: text, whole };
  const parts = (isPlain ? text : text.normalize('NFC').replaceAll(/./gsu, stableLetter)).split(
    variablePattern,
  );
  const longest = parts.reduce((longer, part) => (part.length > longer.length ? part : longer));
  return { common: longest === '' ? undefined : longest, whole };
}

function stableLetter(letter: string): string {
  return letter.normalize('NFD') === letter ? letter : ' ';
}

/** Returns whether a value equals a text apart from line breaks, which spreadsheets change. */
export function isSameText(value: unknown, text: string | undefined): boolean {
  if (value === text || typeof value !== 'string' || text === undefined) return value === text;
  return value.replaceAll(lineBreakPattern, '\n') === text.replaceAll(lineBreakPattern, '\n');
}
