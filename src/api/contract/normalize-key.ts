/**
 * Decides whether two keys are the same, folded or only similar, by the kind of their field. Every command that finds records
 * by key or name uses these rules (docs/decisions/0030-which-keys-are-the-same.md).
 */
import { foldText } from '../../base/fold-text.ts';
import { redact } from '../../base/redaction.ts';
import { toAsciiDigits } from './ascii-digits.ts';
import type { Field } from './field.ts';
import { isSimilarPhone, nationalNumberOf, phoneSpellings } from './phone-numbers.ts';

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
 * of spaces. It also ignores the case of email addresses and the script of digits in phone numbers and barcodes.
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

/** Matches the blanks, hyphens and dots between the parts of a code. */
const separatorPattern = /(?<!^)[\s.\-\u2010-\u2015\u2212]+(?!$)/g;

/** Matches a separator between letters and digits, which many people omit. */
const boundaryPattern = /(?<=\p{L})-(?=\p{N})|(?<=\p{N})-(?=\p{L})/gu;

/**
 * Returns the form that finds a record if no record has the same key and only one has this form. It ignores case and the
 * script of digits; in codes also blanks, hyphens and dots between parts, and a fraction of zeros; and the notation of phone
 * numbers, whose calling codes `relateKeys` compares. Values that aren't text, such as IDs, are only normalized.
 */
export function foldKey(field: Field | undefined, text: string): string {
  const normalized = normalizeKey(field, text);
  if (field?.kind !== 'text') return normalized;
  if (field.traits.form === 'phone') return nationalNumberOf(text) ?? normalized;
  const folded = toAsciiDigits(normalized).toLowerCase();
  if (!isCode(field)) return folded;
  const code = folded.replace(/^(\d+)\.0+$/, '$1');
  return field.traits.digits
    ? code.replaceAll(separatorPattern, '')
    : code.replaceAll(separatorPattern, '-').replaceAll(boundaryPattern, '');
}

/**
 * Returns the form that is the same for keys that people easily confuse: codes with other leading zeros, or exchanged O and 0
 * or I, l and 1, and other text with other accents or forms of Arabic letters. Such keys are different, and boh suggests the
 * other one.
 */
export function similarKey(field: Field | undefined, text: string): string {
  const folded = foldKey(field, text);
  if (field?.kind !== 'text') return folded;
  if (!isCode(field)) return foldText(folded);
  return withDigits(folded)
    .replaceAll(boundaryPattern, '')
    .replaceAll(/(?<!\d)0+(?=\d)/g, '');
}

/** Replaces the letters O, I and l next to digits with the digits that look like them; an l after a digit may be a unit. */
function withDigits(code: string): string {
  return code.replaceAll(/[oil]+(?=\d)|(?<=\d)[oi]+/gi, (letters) =>
    letters.replaceAll(/o/gi, '0').replaceAll(/[il]/gi, '1'),
  );
}

/** How alike two keys are: the same, the same after folding, or only similar. */
export type KeyRelation = 'same' | 'folded' | 'similar';

/** Returns how alike two keys of a field are; undefined if they are different. */
export function relateKeys(field: Field | undefined, a: string, b: string): KeyRelation | undefined {
  if (normalizeKey(field, a) === normalizeKey(field, b)) return 'same';
  if (field?.traits.form === 'phone') return isSimilarPhone(a, b) ? 'folded' : undefined;
  if (foldKey(field, a) === foldKey(field, b)) return 'folded';
  return similarKey(field, a) === similarKey(field, b) ? 'similar' : undefined;
}

/** The maximum number of digits with leading zeros to search for: in codes of digits, and in other codes. */
const maxPaddedDigits = { whole: 12, part: 6 };

/**
 * Returns the usual spellings of folded and similar codes, for a filter that matches the whole value. Returns none for text
 * with commas or line breaks, which such a filter can't contain.
 */
export function otherSpellingsOf(field: Field | undefined, text: string): string[] {
  if (!isCode(field) || /[,\r\n]/.test(text)) return [];
  const code = toAsciiDigits(normalizeKey(field, text)).replace(/^(\d+)\.0+$/, '$1');
  const joined = [code, ...['-', '', ' ', '.'].map((separator) => partsOf(code).join(separator))];
  const parts = partsOf(withDigits(code));
  const index = parts.findLastIndex((part) => /^\d+$/.test(part));
  const digits = parts[index]?.replace(/^0+(?=\d)/, '') ?? '';
  const maxDigits = parts.length === 1 ? maxPaddedDigits.whole : maxPaddedDigits.part;
  const padded = Array.from(
    { length: index < 0 ? 0 : Math.max(0, maxDigits - digits.length + 1) },
    (_, zeros) => parts.with(index, digits.padStart(digits.length + zeros, '0')),
  ).flatMap((paddedParts) => [paddedParts.join('-'), paddedParts.join('')]);
  const capitalized = code.charAt(0).toUpperCase() + code.slice(1).toLowerCase();
  const lowercase = joined.map((spelling) => spelling.toLowerCase());
  const written = [...joined, ...padded].flatMap((spelling) => [spelling, spelling.toUpperCase()]);
  return [...new Set([...written, ...lowercase, capitalized])].filter((spelling) => spelling !== text);
}

function partsOf(code: string): string[] {
  return code.replaceAll(separatorPattern, '-').split(/-|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u);
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
