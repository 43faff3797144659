/** What a record is found by in a list: words over its columns, a part of its id, of its phone number as people say it. */
import type { Row } from '../../client/shape.ts';
import type { Field } from '../../contract/field.ts';
import { nearPhone, phoneParts } from '../../contract/phone-form.ts';
import { plainDigits } from '../../contract/plain-digits.ts';
import type { Resource } from '../../contract/resource.ts';
import { foldedWords, foldText } from '../../fold-text.ts';
import { tableColumns } from '../output/record-words.ts';

export interface Searched {
  /** Every column that a table shows, folded. */
  text: string;
  id: string;
  /** Calling code and number, digits alone; with the zero that is dialed within a country where it is kept, and without. */
  phone: string;
  /** Numbers whose calling code isn't known, without that zero. */
  bare: readonly string[];
}

export interface Wanted {
  words: readonly string[];
  /** Digits that belong together, as those of a phone number: without what is dialed before it. */
  number: string;
  /** The same where it is a whole number: with its calling code, where that is given, and without it. */
  whole?: { full: string; national: string } | undefined;
  /** Whether they are that for certain: alone they may as well be a part of a code, and stand among the words then. */
  isWhole: boolean;
}

/** A part of an id that is shorter says nothing: three letters stand in many of them by chance. */
const leastOfId = 4;

/** Blanks, brackets and dashes between digits are those of a phone number. */
const digitsAlone = /^[+(]*[\d()./-]+$/;

export function searchedRow(resource: Resource, row: Row): Searched {
  const names = [...new Set([...resource.columns, ...resource.key])].filter((name) => row[name] != null);
  const texts = tableColumns({ resource, localTime: false }, names)
    .filter(({ name }) => name !== 'id')
    .map(({ name, value, show }) => {
      const shown = value ? value(row) : row[name];
      return shown == null ? '' : (show?.(shown, row) ?? String(shown));
    });
  const numbers = phonesOf(resource).flatMap(([name, { traits }]) => {
    const [shown, code] = [String(row[name] ?? ''), traits.dialCode && row[traits.dialCode]];
    const digits = plainDigits(shown).replaceAll(/\D/g, '');
    const national = phoneParts(shown)?.national ?? '';
    // A service shows 0 where there is none.
    const known = /^\s*(\+|00)/.test(shown) ? '' : String(code || '');
    const isBare = known === '' && digits.length - national.length <= 1;
    return [{ texts: [`${known}${digits}`, `${known}${national}`], bare: isBare ? national : '' }];
  });
  return {
    text: foldText(texts.join(' ')),
    id: foldText(String(row.id)),
    phone: numbers.flatMap((each) => each.texts).join(' '),
    bare: numbers.map(({ bare }) => bare).filter((bare) => bare !== ''),
  };
}

function phonesOf({ fields }: Resource): [name: string, field: Field][] {
  return Object.entries(fields).filter(([, { traits }]) => traits.form === 'phone');
}

export function wanted(resource: Resource, typed: string): Wanted {
  const all = foldedWords(typed);
  const digits = all.filter((word) => digitsAlone.test(word));
  const number = digits.join('').replaceAll(/\D/g, '').replace(/^0+/, '');
  const isWhole = phonesOf(resource).length > 0 && (digits.length > 1 || /^[+(]/.test(digits[0] ?? ''));
  const parts = isWhole || digits.length > 0 ? phoneParts(digits.join('')) : undefined;
  const national = nearPhone(digits.join('')) ?? '';
  const whole = parts && { full: `${parts.code ?? ''}${parts.national}`, national };
  return { words: isWhole ? all.filter((word) => !digits.includes(word)) : all, number, whole, isWhole };
}

export function isFound(
  { text, id, phone, bare }: Searched,
  { words, number, whole, isWhole }: Wanted,
): boolean {
  const isNumber =
    number !== '' &&
    (phone.includes(number) ||
      (whole !== undefined && (phone.includes(whole.full) || bare.includes(whole.national))));
  const holds = (word: string) =>
    text.includes(word) ||
    (word.length >= leastOfId && id.includes(word)) ||
    (isNumber && digitsAlone.test(word));
  return words.every(holds) && (!isWhole || isNumber);
}
