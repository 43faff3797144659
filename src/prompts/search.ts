/** Searches records for a text: with filters of the service, and by comparing rows that were read. */
import { foldedWords, foldText } from '../base/fold-text.ts';
import type { Row } from '../client/shape.ts';
import type { Field } from '../contract/field.ts';
import type { Filter } from '../contract/filter.ts';
import { phoneParts, phoneSpellings, similarPhoneForm } from '../contract/phone-form.ts';
import { plainDigits } from '../contract/plain-digits.ts';
import type { Resource } from '../contract/resource.ts';
import { tableColumns } from '../output/records-for-people.ts';

/** A filter of a list with its value, for one request. */
export interface SearchFilter {
  filter: Filter;
  value: string;
}

/** Matches digits with the separators of phone numbers. */
const numberLike = /^[+(]?\d[\d\s().\-/\u2010-\u2015]*$/;

/** Matches ids: long, with letters and digits. */
const idLike = /^(?=.*\d)(?=.*[a-z])[\w-]{8,}$/i;

/** Digits from which a text may be a phone number, and from which it is unlikely to be part of a name. */
const [minPhoneDigits, minNumberDigits] = [5, 7];

/** Returns the filters that may find a text: part of a name, a code, a phone number in each spelling, an email address. */
export function searchFilters({ filters, key }: Resource, typed: string): SearchFilter[] {
  const text = typed.trim();
  const plain = plainDigits(text);
  const digits = numberLike.test(plain) ? plain.replaceAll(/\D/g, '').length : 0;
  const longest = text.split(/\s+/).reduce((one, other) => (other.length > one.length ? other : one));
  const isWord = longest === text;
  const isEmail = text.includes('@');
  // Names in a second language are rarely in Latin letters.
  const isLatin = /^[\x20-\x7e]*$/.test(text);
  const parts = filters.filter(
    ({ match, value }) => match === 'contains' && !(isLatin && value.traits.localizes !== undefined),
  );
  return filters.flatMap((filter): SearchFilter[] => {
    const { form, digits: isOfDigits } = filter.value.traits;
    if (form === 'phone' && filter.match === 'equals')
      return digits >= minPhoneDigits ? [{ filter, value: phoneSpellings(plain, true).join(',') }] : [];
    if (form === 'email') return isEmail ? [{ filter, value: text }] : [];
    if (isEmail) return [];
    if (filter.name === 'id') return isWord && idLike.test(text) ? [{ filter, value: text }] : [];
    if (parts.includes(filter)) return digits >= minNumberDigits ? [] : [{ filter, value: longest }];
    const isCode = isOfCodes(filter) && (isOfDigits || key.includes(filter.name));
    // A filter for part of a code also finds the whole code.
    const isIncluded = parts.some(({ on }) => on === filter.on) && digits < minNumberDigits;
    if (!isCode || !isWord || isIncluded || text.includes(',')) return [];
    if (isOfDigits && !/\d/.test(plain)) return [];
    return [{ filter, value: [...new Set([text, plain])].join(',') }];
  });
}

function isOfCodes({ match, value }: Filter): boolean {
  return match === 'equals' && value.kind === 'text';
}

/** Returns a function that tests a record: its columns contain all words, or it has the number. */
export function isSearched(resource: Resource, typed: string): (row: Row) => boolean {
  const terms = searchTerms(resource, typed);
  const searched = resource.filters
    .filter((filter) => filter.match === 'contains' || isOfCodes(filter))
    .map(({ on = '' }) => on);
  return (row) => {
    const found = searchedRow(resource, row);
    const filtered = searched.map((name) => foldText(String(row[name] ?? ''))).join(' ');
    return isFound({ ...found, text: `${found.text} ${filtered}` }, terms);
  };
}

/** The texts of a row that searches compare. */
export interface SearchedRow {
  /** The texts of all columns, folded. */
  text: string;
  id: string;
  /** Calling code and number in digits, with and without the zero that is dialed within a country. */
  phone: string;
  /** Numbers without a known calling code, and without that zero. */
  bare: readonly string[];
}

/** A search text, in words and numbers. */
export interface SearchTerms {
  words: readonly string[];
  /** The digits of a phone number, without leading zeros. */
  number: string;
  /** A complete phone number: with its calling code if that was typed, and without. */
  whole?: { full: string; national: string } | undefined;
  /** Whether the digits can only be a phone number. Otherwise they may be part of a code and are also in `words`. */
  isWhole: boolean;
}

/** Characters of an id from which a part is compared: shorter parts match many ids by chance. */
const minIdPartLength = 4;

/** Matches digits with the brackets and dashes of a phone number. */
const digitsAlone = /^[+(]*[\d()./-]+$/;

/** Returns the texts of a row that searches compare. */
export function searchedRow(resource: Resource, row: Row): SearchedRow {
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
    // Services return 0 for no calling code.
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

/** Reads a search text. */
export function searchTerms(resource: Resource, typed: string): SearchTerms {
  const all = foldedWords(typed);
  const digits = all.filter((word) => digitsAlone.test(word));
  const number = digits.join('').replaceAll(/\D/g, '').replace(/^0+/, '');
  const isWhole = phonesOf(resource).length > 0 && (digits.length > 1 || /^[+(]/.test(digits[0] ?? ''));
  const parts = isWhole || digits.length > 0 ? phoneParts(digits.join('')) : undefined;
  const national = similarPhoneForm(digits.join('')) ?? '';
  const whole = parts && { full: `${parts.code ?? ''}${parts.national}`, national };
  return { words: isWhole ? all.filter((word) => !digits.includes(word)) : all, number, whole, isWhole };
}

/** Returns whether a row matches. */
export function isFound(
  { text, id, phone, bare }: SearchedRow,
  { words, number, whole, isWhole }: SearchTerms,
): boolean {
  const isNumber =
    number !== '' &&
    (phone.includes(number) ||
      (whole !== undefined && (phone.includes(whole.full) || bare.includes(whole.national))));
  const holds = (word: string) =>
    text.includes(word) ||
    (word.length >= minIdPartLength && id.includes(word)) ||
    (isNumber && digitsAlone.test(word));
  return words.every(holds) && (!isWhole || isNumber);
}
