/** Which texts are the same key to boh, and which are only nearly so: the one rule for imports, manifests, look-ups and upserts. */
import { foldText } from '../base/fold-text.ts';
import { redacted } from '../base/mask.ts';
import type { Field } from './field.ts';
import { nearPhone, phoneSpellings } from './phone-form.ts';
import { plainDigits } from './plain-digits.ts';

/** Marks of direction, byte order marks and blanks of no width: those that join or part letters are not among them. */
const unseen = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Nearly every text: nothing in it could be written in another way, and no blank stands at an end or beside another. */
const ownForm = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

const ascii = /^[\x20-\x7e]*$/;

export function withoutUnseen(text: string): string {
  return ascii.test(text) ? text : text.replaceAll(unseen, '');
}

/**
 * The form by which two texts of a field are held against each other where they say which record is meant. The same are
 * those that nobody could tell apart: letters that are put together of parts or aren’t (NFC), marks that aren’t seen,
 * blanks at the ends and how many there are between words. Addresses of mail are the same whatever their case, phones
 * and barcodes in whichever script their digits are. Everything else makes another key, case included: the document
 * doesn’t say that it didn’t (docs/decisions/0030-which-keys-are-the-same.md).
 */
export function keyForm(field: Field | undefined, whole: string): string {
  const { form, digits } = field?.traits ?? {};
  // What was read has known secrets covered.
  const text = redacted(whole);
  const seen = ownForm.test(text)
    ? text
    : withoutUnseen(text.normalize()).trim().replaceAll(/\s+/g, ' ') || text;
  if (form === 'email') return seen.toLowerCase();
  return form === 'phone' || digits ? plainDigits(seen) : seen;
}

/**
 * The same for two keys that differ only in what people mix up: case, marks above and below letters, the forms of alef,
 * ya and ta marbuta, a tatweel, the script of digits; or in the way to write a phone number. They are different keys, and
 * worth a word.
 */
export function nearKeyForm(field: Field | undefined, text: string): string {
  const phone = field?.traits.form === 'phone' ? nearPhone(text) : undefined;
  return phone ?? foldText(keyForm(field, text));
}

/** All that a list is asked for on account of a whole value: the ways to write it, and those of nearly the same phone number. */
export function valuesToAsk(field: Field | undefined, text: string, isThorough: boolean): string[] {
  const ways = waysToWrite(field, text);
  return field?.traits.form === 'phone' ? [...new Set([...ways, ...phoneSpellings(text, isThorough)])] : ways;
}

const lineBreak = /\r\n?|\n/g;

export function hasBreaks(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}

/**
 * The ways in which a text may be written at the service, which answers for an exact value with that alone: lines that
 * end otherwise, letters that are put together of parts or aren’t, and the form of the key. The first is the text itself.
 */
export function waysToWrite(field: Field | undefined, text: string): string[] {
  const own = [text, keyForm(field, text)];
  const forms = ascii.test(text)
    ? own
    : own.flatMap((one) => [one, one.normalize('NFC'), one.normalize('NFD')]);
  const all = hasBreaks(text)
    ? forms.flatMap((form) => [form, ...['\n', '\r\n', '\r'].map((end) => form.replaceAll(lineBreak, end))])
    : forms;
  return [...new Set(all)];
}

/** Blanks, what divides values or escapes characters in a query, unseen marks, and letters that can be written in parts. */
const notInEveryWay = /[\s,\\\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|.?\p{M}+/gsu;

/** What a list that looks for parts of texts is asked for. */
export interface PartsToAsk {
  /** A part that a record with this key has however it is written, so that one question finds it. */
  common: string | undefined;
  /** The whole text, in the ways to write it: what finds fewer other records, and only what is written so. */
  whole: string[];
}

/** How many blanks stand between words, and how letters are put together, isn't known of the record. */
export function partsToAsk(field: Field | undefined, text: string): PartsToAsk {
  const isPlain = ownForm.test(text);
  const whole = isPlain ? [text] : [...new Set(waysToWrite(field, text).map((way) => way.trim() || way))];
  if (isPlain && !/[ ,\\]/.test(text)) return { common: text, whole };
  const parts = (isPlain ? text : text.normalize('NFC').replaceAll(/./gsu, stableLetter)).split(
    notInEveryWay,
  );
  const longest = parts.reduce((one, other) => (other.length > one.length ? other : one));
  return { common: longest === '' ? undefined : longest, whole };
}

function stableLetter(letter: string): string {
  return letter.normalize('NFD') === letter ? letter : ' ';
}

/** Whether a record has a text as it stands there: spreadsheets end the lines of a cell in a way of their own. */
export function isWrittenAs(shown: unknown, text: string | undefined): boolean {
  if (shown === text || typeof shown !== 'string' || text === undefined) return shown === text;
  return shown.replaceAll(lineBreak, '\n') === text.replaceAll(lineBreak, '\n');
}
