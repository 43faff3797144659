/** Converts typed text to JSON values and back, by the kind of the field. */
import { decimalForm, inexactness, isObject, isScalar } from '../base/number-text.ts';
import { orDidYouMean } from '../base/suggest.ts';
import type { Field, Kind } from './field.ts';
import type { Filter } from './filter.ts';
import { readJson } from './json-text.ts';
import { joinList, quoteProblem, splitList } from './list-text.ts';
import { dateProblem, formatTimestamp, readMoment } from './moment.ts';
import { inputWord } from './wording.ts';

/** The value, or the problem as the end of a sentence: "must be a whole number, such as 966". */
export type ReadResult = { value: unknown; problem?: never } | { value?: never; problem: string };

const integerPattern = /^[+-]?\d+$/;
/** Matches the start of a JSON list of objects, or an empty one. No id starts like this. */
const linksPattern = /^\s*\[\s*[{\]]/;

/** Reads a field's value from one argument of the command line. */
export function readText(field: Field, text: string): ReadResult {
  return conversions[field.kind].read(text, field);
}

/** Reads a filter's value for the query: words become numbers, times become UTC, several values are joined by commas. */
export function readFilter(filter: Filter, text: string, now: Date): ReadResult {
  return conversions[filter.value.kind].filter(text, filter, now);
}

/** Returns the text that `readText` reads as this value; undefined if only JSON can express it. */
export function inputText(field: Field, value: unknown): string | undefined {
  return conversions[field.kind].inputText(value, field);
}

interface KindConversions {
  read(text: string, field: Field): ReadResult;
  filter(text: string, filter: Filter, now: Date): ReadResult;
  inputText(value: unknown, field: Field): string | undefined;
}

/** The conversions of each kind. A new kind doesn't compile until it is added here. */
const conversions: Readonly<Record<Kind, KindConversions>> = {
  text: { read: readAsText, filter: filterText, inputText: scalarText },
  one: { read: readAsText, filter: filterIds, inputText: scalarText },
  integer: { read: readInteger, filter: filterNumbers, inputText: scalarText },
  decimal: { read: readDecimal, filter: filterNumbers, inputText: scalarText },
  numeric_text: { read: readNumericText, filter: filterText, inputText: scalarText },
  unit: { read: readUnit, filter: filterText, inputText: scalarText },
  boolean: { read: readBoolean, filter: readBoolean, inputText: scalarText },
  date: { read: readDate, filter: filterDay, inputText: scalarText },
  timestamp: {
    read: () => ({ problem: 'is set by the service' }),
    filter: filterMoment,
    inputText: scalarText,
  },
  choice: {
    read: (text, field) => readWord(field, text, field.traits.creatable),
    filter: filterWords,
    inputText: (value, field) => inputWordOf(field, value),
  },
  hour: { read: readHour, filter: filterText, inputText: scalarText },
  words: { read: readTexts, filter: filterText, inputText: (value) => listOf(value, String) },
  integers: {
    read: (text, field) => readList(text, (part) => readWord(field, part)),
    filter: filterWords,
    inputText: (value, field) => listOf(value, (item) => inputWordOf(field, item)),
  },
  ids: { read: readTexts, filter: filterText, inputText: (value) => listOf(value, String) },
  many: {
    // Links with other values than an id and a number need JSON.
    read: (text, field) =>
      linksPattern.test(text) ? readStructure(text) : readList(text, (part) => readLink(field, part)),
    filter: filterIds,
    inputText: (value, { traits: { amountField } }) =>
      Array.isArray(value) && value.every((link) => isIdWithAmount(link, amountField))
        ? listOf(value, (link) => linkText(link, amountField))
        : undefined,
  },
  ring: { read: readStructure, filter: filterText, inputText: (value) => JSON.stringify(value) },
  object: { read: readStructure, filter: filterText, inputText: (value) => JSON.stringify(value) },
  objects: { read: readStructure, filter: filterText, inputText: (value) => JSON.stringify(value) },
};

/** Returns the flag of a field or filter without the leading dashes: `dial-code` for `dial_code`, `tags-id` for `tags.id`. */
export function flagName(name: string): string {
  return name.replaceAll(/[_.]/g, '-');
}

/** Returns the words of an enumeration, or of some of its values, in the form for the command line: `price-reduction`. */
export function inputWords(
  { traits: { words = {} } }: Field,
  values: readonly number[] = Object.values(words),
): string[] {
  return Object.entries(words)
    .filter(([, value]) => values.includes(value))
    .map(([word]) => inputWord(word));
}

/** Returns the word for a value of an enumeration; undefined if the value has no word. */
export function wordOf(field: Field, value: unknown): string | undefined {
  return Object.entries(field.traits.words ?? {}).find(([, number]) => number === value)?.[0];
}

/** Returns the word in the form for the command line, or the value if it has no word. */
function inputWordOf(field: Field, value: unknown): string {
  const word = wordOf(field, value);
  return word === undefined ? String(value) : inputWord(word);
}

function readAsText(text: string): ReadResult {
  return { value: text };
}

function filterText(text: string, { match }: Filter): ReadResult {
  return text === '' && match !== 'unknown' ? { problem: 'must not be empty' } : { value: text };
}

function filterIds(text: string): ReadResult {
  const problem = quoteProblem(text) ?? (text === '' ? 'must not be empty' : undefined);
  return problem === undefined ? { value: text } : { problem };
}

function filterNumbers(text: string, { value }: Filter): ReadResult {
  return readQueryList(text, (part) => readText(value, part));
}

function filterWords(text: string, { value }: Filter): ReadResult {
  return readQueryList(text, (part) => readWord(value, part));
}

function filterMoment(text: string, _: Filter, now: Date): ReadResult {
  const moment = readMoment(text, now);
  return moment
    ? { value: formatTimestamp(moment) }
    : {
        problem:
          'must be a time such as 2026-11-20 08:30:00 (UTC) or 2026-11-20T11:30:00+03:00, or 12h for 12 hours ago',
      };
}

function filterDay(text: string, _: Filter, now: Date): ReadResult {
  const moment = readMoment(text, now);
  return moment
    ? { value: formatTimestamp(moment).slice(0, 10) }
    : { problem: 'must be a date such as 2026-11-20, or 7d for 7 days ago' };
}

function readBoolean(text: string): ReadResult {
  return text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : { problem: 'must be true or false' };
}

function readDate(text: string): ReadResult {
  const problem = dateProblem(text);
  return problem === undefined ? { value: text } : { problem };
}

const numberProblem = 'must be a number, such as 2.5';

function readInteger(text: string): ReadResult {
  const value = Number(text);
  if (!integerPattern.test(text)) return { problem: 'must be a whole number, such as 12' };
  return Number.isSafeInteger(value) ? { value } : { problem: 'is too large to be sent exactly' };
}

function readDecimal(text: string): ReadResult {
  if (!decimalForm.test(text)) return { problem: numberProblem };
  const problem = inexactness(text);
  return problem === undefined ? { value: Number(text) } : { problem };
}

function readNumericText(text: string): ReadResult {
  return decimalForm.test(text) ? { value: text } : { problem: numberProblem };
}

function readUnit(text: string): ReadResult {
  return integerPattern.test(text) ? readInteger(text) : { value: text };
}

/** Reads a word of an enumeration or its number. Validation checks whether the number is allowed. */
function readWord(field: Field, text: string, offered?: readonly number[]): ReadResult {
  if (integerPattern.test(text)) return readInteger(text);
  const comparable = (word: string) => word.toLowerCase().replaceAll(/[\s_-]+/g, ' ');
  const match = Object.entries(field.traits.words ?? {}).find(
    ([word]) => comparable(word) === comparable(text),
  );
  if (match) return { value: match[1] };
  const guess = orDidYouMean(inputWord(text), inputWords(field, offered));
  return { problem: `must be one of ${listWords(field, offered)}${guess}` };
}

/** Lists words with their numbers for messages: "draft (1) or closed (2)". */
export function listWords(
  { traits: { words = {} } }: Field,
  values: readonly number[] = Object.values(words),
): string {
  const listed = Object.entries(words)
    .filter(([, value]) => values.includes(value))
    .map(([word, value]) => `${inputWord(word)} (${value})`);
  return listed.length > 1 ? `${listed.slice(0, -1).join(', ')} or ${listed.at(-1)}` : listed.join('');
}

/** Reads a whole hour: `9`, `09` and `09:00` are the same. */
function readHour(text: string): ReadResult {
  const parts = /^(\d{1,2})(:00)?$/.exec(text);
  return parts ? { value: Number(parts[1]) } : { problem: 'must be a whole hour, such as 9 or 21' };
}

/** Reads an id, or `ID=2.5` if the link has a number; the number may be omitted if it isn't required. */
function readLink({ traits: { amountField, pivot } }: Field, part: string): ReadResult {
  const isIdOnly =
    amountField === undefined || (!pivot?.[amountField]?.traits.required && !part.includes('='));
  return isIdOnly ? { value: { id: part } } : readAmount(amountField, part);
}

function readAmount(amount: string, part: string): ReadResult {
  const [, id, number = ''] = /^(.+)=([^=]*)$/s.exec(part) ?? [];
  const { value, problem } = readDecimal(number);
  if (id !== undefined && problem === undefined) return { value: { id, [amount]: value } };
  if (id !== undefined && problem !== numberProblem)
    return { problem: `contains ${number}, which ${problem}` };
  return {
    problem: `must be ID=NUMBER, where the number is the ${amount.replaceAll('_', ' ')}, found "${part}"`,
  };
}

function readStructure(text: string): ReadResult {
  const { value, problems } = readJson(text);
  if (!problems) return { value };
  return {
    problem: problems.map(({ description }) => `can't be used: ${description}`).join('; ') || 'must be JSON',
  };
}

function readTexts(text: string): ReadResult {
  return readList(text, readAsText);
}

function readQueryList(text: string, read: (part: string) => ReadResult): ReadResult {
  const all = readList(text, read);
  if (!Array.isArray(all.value)) return all;
  return all.value.length === 0 ? { problem: 'must not be empty' } : { value: all.value.join(',') };
}

function readList(text: string, read: (part: string) => ReadResult): ReadResult {
  const problem = quoteProblem(text);
  if (problem !== undefined) return { problem };
  const results = splitList(text).map(read);
  const failed = results.find((result) => result.problem !== undefined);
  return failed ?? { value: results.map(({ value }) => value) };
}

function scalarText(value: unknown): string | undefined {
  return value !== null && isScalar(value) ? String(value) : undefined;
}

function listOf(value: unknown, text: (item: unknown) => string): string | undefined {
  return Array.isArray(value) ? joinList(value.map(text)) : undefined;
}

/** Whether a link has only an id and a number; others need JSON. */
function isIdWithAmount(link: unknown, amount: string | undefined): boolean {
  return !isObject(link) || Object.keys(link).every((name) => name === 'id' || name === amount);
}

function linkText(link: unknown, amount: string | undefined): string {
  if (!isObject(link)) return String(link);
  return amount && link[amount] !== undefined ? `${link.id}=${link[amount]}` : String(link.id);
}
