/** Searches records for text: with filters of the service, and by comparing rows that were read. */

import type { Row } from '../../account/client/shape.ts';
import { toAsciiDigits } from '../../api/contract/ascii-digits.ts';
import type { Field } from '../../api/contract/field.ts';
import type { Filter } from '../../api/contract/filter.ts';
import { nationalNumberOf, parsePhone, phoneSpellings } from '../../api/contract/phone-numbers.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { foldText, foldWords } from '../../base/fold-text.ts';
import type { LocalCondition } from '../output/local-query.ts';
import { tableColumns } from '../output/records-for-people.ts';

/** A filter of a list with its value, for one request. */
export interface SearchFilter {
  filter: Filter;
  value: string;
}

/** Matches digits with the separators of phone numbers. */
const numberPattern = /^[+(]?\d[\d\s().\-/\u2010-\u2015]*$/;

/** Matches IDs: long, with letters and digits. */
const idPattern = /^(?=.*\d)(?=.*[a-z])[\w-]{8,}$/i;

/** The minimum numbers of digits: for a possible phone number, and for a number that is probably not part of a name. */
const [minPhoneDigits, minNumberDigits] = [5, 7];

/** Returns the filters that may find the text: part of a name, a code, a phone number in each spelling, an email address. */
export function searchFilters({ filters, key }: Resource, searchText: string): SearchFilter[] {
  const text = searchText.trim();
  const latinText = toAsciiDigits(text);
  const digitCount = numberPattern.test(latinText) ? latinText.replaceAll(/\D/g, '').length : 0;
  const longestWord = text
    .split(/\s+/)
    .reduce((word, nextWord) => (nextWord.length > word.length ? nextWord : word));
  const isWord = longestWord === text;
  const isEmail = text.includes('@');
  // Names in a second language are rarely in Latin letters.
  const isLatin = /^[\x20-\x7e]*$/.test(text);
  const partFilters = filters.filter(
    ({ match, value }) => match === 'contains' && !(isLatin && value.traits.localizes !== undefined),
  );
  return filters.flatMap((filter): SearchFilter[] => {
    const { form, digits: isNumeric } = filter.value.traits;
    if (form === 'phone' && filter.match === 'equals')
      return digitCount >= minPhoneDigits
        ? [{ filter, value: phoneSpellings(latinText, true).join(',') }]
        : [];
    if (form === 'email') return isEmail ? [{ filter, value: text }] : [];
    if (isEmail) return [];
    if (filter.name === 'id') return isWord && idPattern.test(text) ? [{ filter, value: text }] : [];
    if (partFilters.includes(filter))
      return digitCount >= minNumberDigits ? [] : [{ filter, value: longestWord }];
    const isCode = isExactTextFilter(filter) && (isNumeric || key.includes(filter.name));
    // A filter for part of a code also finds the whole code.
    const isCoveredByPart = partFilters.some(({ on }) => on === filter.on) && digitCount < minNumberDigits;
    if (!isCode || !isWord || isCoveredByPart || text.includes(',')) return [];
    if (isNumeric && !/\d/.test(latinText)) return [];
    return [{ filter, value: [...new Set([text, latinText])].join(',') }];
  });
}

/** The number of digits from which a phone number is probably complete. Services compare complete numbers. */
const minCompleteDigits = 8;

/** Separates filters by a part of a phone number, which boh finds itself as pickers and `find` do. */
export function splitPhoneParts<FlagFilter extends { name: string; values: readonly string[] }>(
  resource: Resource,
  flags: readonly FlagFilter[],
): { filters: FlagFilter[]; parts: LocalCondition[] } {
  const parts: LocalCondition[] = [];
  const filters = flags.filter(({ name, values }) => {
    const filter = resource.filters.find((candidate) => candidate.name === name);
    const text = values.at(-1) ?? '';
    if (filter?.value.traits.form !== 'phone' || filter.match !== 'equals' || !isPhonePart(text)) return true;
    const [column, matches] = [filter.on ?? name, createPhoneMatcher(resource, text)];
    parts.push({ column, text: `${column} ~ ${text}`, matches });
    return false;
  });
  return { filters, parts };
}

/** Returns whether text is digits of a phone number, but too few for a complete number. */
export function isPhonePart(text: string): boolean {
  const latinText = toAsciiDigits(text.trim());
  const digits = latinText.replaceAll(/\D/g, '');
  const hasEnough = digits.replace(/^0+/, '').length >= minNumberPartDigits;
  return numberPattern.test(latinText) && hasEnough && digits.length < minCompleteDigits;
}

/** Returns a function that checks whether a record has a phone number with these digits. */
export function createPhoneMatcher(resource: Resource, text: string): (row: Row) => boolean {
  const terms = { ...parseSearchTerms(resource, `(${text.trim()}`), words: [], isPhone: true };
  return (row) => isMatch(searchableTextOf(resource, row), terms);
}

/** Returns whether records of the resource have phone numbers. */
export function hasPhones(resource: Resource): boolean {
  return phonesOf(resource).length > 0;
}

function isExactTextFilter({ match, value }: Filter): boolean {
  return match === 'equals' && value.kind === 'text';
}

/**
 * Returns a function that checks whether a record matches, whatever the service's filters return: its names contain all
 * words, or it has the code, the email address or the phone number.
 */
export function createMatcher(resource: Resource, searchText: string): (row: Row) => boolean {
  const parsed = parseSearchTerms(resource, searchText);
  const hasNumber = parsed.number.length >= minPhoneDigits;
  const terms = hasNumber ? parsed : { words: foldWords(searchText), number: '', isPhone: false };
  const columnsOf = (filters: readonly Filter[]) => filters.map(({ on = '' }) => on);
  const partColumns = columnsOf(resource.filters.filter(({ match }) => match === 'contains'));
  const codeColumns = columnsOf(resource.filters.filter(isExactTextFilter));
  return (row) => {
    const textsOf = (names: readonly string[]) =>
      names.map((name) => foldText(String(row[name] ?? '')).trim());
    const texts = { text: textsOf(partColumns).join('\n'), codes: textsOf(codeColumns), id: '' };
    return isMatch({ ...searchableTextOf(resource, row), ...texts }, terms);
  };
}

/** The texts of a row that searches compare. */
export interface SearchableText {
  /** The texts of all columns, folded. */
  text: string;
  /** Texts that match only as a whole. */
  codes?: readonly string[];
  id: string;
  /** Calling code and number in digits, with and without the zero that is dialed within a country. */
  phone: string;
  /** Numbers without a known calling code, and without that zero. */
  nationalNumbers: readonly string[];
}

export interface SearchTerms {
  words: readonly string[];
  /** The digits of a phone number, without leading zeros. */
  number: string;
  /** A complete phone number: with its calling code if the search text has one, and without. */
  completeNumber?: { full: string; national: string } | undefined;
  /** Whether the digits can only be a phone number. Otherwise they may be part of a code and are also in `words`. */
  isPhone: boolean;
}

/** The minimum lengths of a part of an ID, and of a number without leading zeros: shorter ones match many by chance. */
const [minIdPartCharacters, minNumberPartDigits] = [4, 3];

/** Matches digits with the brackets and dashes of a phone number. */
const phoneDigitsPattern = /^[+(]*[\d()./-]+$/;

export function searchableTextOf(resource: Resource, row: Row): SearchableText {
  const names = [...new Set([...resource.columns, ...resource.key])].filter((name) => row[name] != null);
  const columnValues = tableColumns({ resource }, names)
    .filter(({ name }) => name !== 'id')
    .map(({ name, value, show }) => {
      const text = value ? value(row) : row[name];
      return text == null ? '' : (show?.(text, row) ?? String(text));
    });
  const numbers = phonesOf(resource).flatMap(([name, { traits }]) => {
    const [text, code] = [String(row[name] ?? ''), traits.dialCode && row[traits.dialCode]];
    const digits = toAsciiDigits(text).replaceAll(/\D/g, '');
    const national = parsePhone(text)?.national ?? '';
    // Services return 0 for no calling code.
    const callingCode = /^\s*(\+|00)/.test(text) ? '' : String(code || '');
    const isNational = callingCode === '' && digits.length - national.length <= 1;
    return [
      {
        texts: [`${callingCode}${digits}`, `${callingCode}${national}`],
        nationalNumber: isNational ? national : '',
      },
    ];
  });
  return {
    text: foldText(columnValues.join(' ')),
    id: foldText(String(row.id)),
    phone: numbers.flatMap((number) => number.texts).join(' '),
    nationalNumbers: numbers.map(({ nationalNumber }) => nationalNumber).filter((text) => text !== ''),
  };
}

function phonesOf({ fields }: Resource): [name: string, field: Field][] {
  return Object.entries(fields).filter(([, { traits }]) => traits.form === 'phone');
}

export function parseSearchTerms(resource: Resource, searchText: string): SearchTerms {
  const words = foldWords(searchText);
  const numberWords = words.filter((word) => phoneDigitsPattern.test(word));
  const number = numberWords.join('').replaceAll(/\D/g, '').replace(/^0+/, '');
  const isPhone =
    phonesOf(resource).length > 0 && (numberWords.length > 1 || /^[+(]/.test(numberWords[0] ?? ''));
  const parts = isPhone || numberWords.length > 0 ? parsePhone(numberWords.join('')) : undefined;
  const national = nationalNumberOf(numberWords.join('')) ?? '';
  const completeNumber = parts && { full: `${parts.code ?? ''}${parts.national}`, national };
  return {
    words: isPhone ? words.filter((word) => !numberWords.includes(word)) : words,
    number,
    completeNumber,
    isPhone,
  };
}

export function isMatch(searchable: SearchableText, terms: SearchTerms): boolean {
  const { text, codes = [], id } = searchable;
  const { words, number, isPhone } = terms;
  const isNumber = (isPhone || number.length >= minNumberPartDigits) && matchesNumber(searchable, terms);
  const containsWord = (word: string) =>
    text.includes(word) ||
    codes.includes(word) ||
    (word.length >= minIdPartCharacters && id.includes(word)) ||
    (isNumber && phoneDigitsPattern.test(word));
  return words.every(containsWord) && (!isPhone || isNumber);
}

function matchesNumber(
  { phone, nationalNumbers }: SearchableText,
  { number, completeNumber }: SearchTerms,
): boolean {
  return (
    number !== '' &&
    (phone.includes(number) ||
      (completeNumber !== undefined &&
        (phone.includes(completeNumber.full) || nationalNumbers.includes(completeNumber.national))))
  );
}
