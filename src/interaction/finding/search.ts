/** What the service is asked for a text that somebody looks for, and whether a record is what they look for. */
import type { Row } from '../../client/shape.ts';
import type { Filter } from '../../contract/filter.ts';
import { phoneSpellings } from '../../contract/phone-form.ts';
import { plainDigits } from '../../contract/plain-digits.ts';
import type { Resource } from '../../contract/resource.ts';
import { foldText } from '../../fold-text.ts';
import { isFound, searchedRow, wanted } from './searched-row.ts';

/** One request: a filter of the list and its value. */
export interface SearchFilter {
  filter: Filter;
  value: string;
}

/** Digits, and what people put between those of a phone number. */
const numberLike = /^[+(]?\d[\d\s().\-/\u2010-\u2015]*$/;

/** Ids are long, of letters and digits. */
const idLike = /^(?=.*\d)(?=.*[a-z])[\w-]{8,}$/i;

/** As many digits may be a phone number, and so many are hardly a part of a name. */
const [leastOfPhone, leastOfNumber] = [5, 7];

/** Ways to ask for a text: a part of a name, a whole code, a phone number in each way to write it, an email address. */
export function searchFilters({ filters, key }: Resource, typed: string): SearchFilter[] {
  const text = typed.trim();
  const plain = plainDigits(text);
  const digits = numberLike.test(plain) ? plain.replaceAll(/\D/g, '').length : 0;
  const longest = text.split(/\s+/).reduce((one, other) => (other.length > one.length ? other : one));
  const isWord = longest === text;
  const isEmail = text.includes('@');
  // Names in a second language are hardly ever written with the letters of the first.
  const isLatin = /^[\x20-\x7e]*$/.test(text);
  const parts = filters.filter(
    ({ match, value }) => match === 'contains' && !(isLatin && value.traits.localizes !== undefined),
  );
  return filters.flatMap((filter): SearchFilter[] => {
    const { form, digits: isOfDigits } = filter.value.traits;
    if (form === 'phone' && filter.match === 'equals')
      return digits >= leastOfPhone ? [{ filter, value: phoneSpellings(plain, true).join(',') }] : [];
    if (form === 'email') return isEmail ? [{ filter, value: text }] : [];
    if (isEmail) return [];
    if (filter.name === 'id') return isWord && idLike.test(text) ? [{ filter, value: text }] : [];
    if (parts.includes(filter)) return digits >= leastOfNumber ? [] : [{ filter, value: longest }];
    const isCode = isOfCodes(filter) && (isOfDigits || key.includes(filter.name));
    // A list that is asked for a part of a code finds the whole as well.
    const isAsked = parts.some(({ on }) => on === filter.on) && digits < leastOfNumber;
    if (!isCode || !isWord || isAsked || text.includes(',')) return [];
    if (isOfDigits && !/\d/.test(plain)) return [];
    return [{ filter, value: [...new Set([text, plain])].join(',') }];
  });
}

function isOfCodes({ match, value }: Filter): boolean {
  return match === 'equals' && value.kind === 'text';
}

/** Whether a record is what was looked for: all words stand in its columns, or it has the number. */
export function isSearched(resource: Resource, typed: string): (row: Row) => boolean {
  const sought = wanted(resource, typed);
  const searched = resource.filters
    .filter((filter) => filter.match === 'contains' || isOfCodes(filter))
    .map(({ on = '' }) => on);
  return (row) => {
    const found = searchedRow(resource, row);
    const beside = searched.map((name) => foldText(String(row[name] ?? ''))).join(' ');
    return isFound({ ...found, text: `${found.text} ${beside}` }, sought);
  };
}
