/** Converts text from users to JSON values and back, by the kind of the field. */
import { decimalPattern, describeInexactness, isObject, isScalar } from '../../base/number-text.ts';
import { orDidYouMean } from '../../base/suggest.ts';
import { joinList, quoteProblem, splitList } from './comma-list.ts';
import { dateProblem, formatTimestamp, parseFilterTime } from './date-time.ts';
import type { Field, Kind } from './field.ts';
import type { Filter } from './filter.ts';
import { parseStrictJson } from './strict-json.ts';
import { inputWord } from './wording.ts';

/** The parsed value, or the problem as the end of a sentence: "must be a whole number, such as 966". */
export type ParseResult = { value: unknown; problem?: never } | { value?: never; problem: string };

const integerPattern = /^[+-]?\d+$/;
/** Matches the start of a JSON list of objects, or an empty one. No ID starts like this. */
const linksPattern = /^\s*\[\s*[{\]]/;

/** Parses a field's value from one argument of the command line. */
export function parseValue(field: Field, text: string): ParseResult {
  return conversions[field.kind].parse(text, field);
}

/** Parses a filter's value for the query: words become numbers, times become UTC, several values are joined by commas. */
export function parseFilterValue(filter: Filter, text: string, now: Date): ParseResult {
  return conversions[filter.value.kind].filter(text, filter, now);
}

/** Returns the text that `parseValue` converts to this value; undefined if only JSON can express it. */
export function formatInput(field: Field, value: unknown): string | undefined {
  return conversions[field.kind].format(value, field);
}

interface KindConversions {
  parse(text: string, field: Field): ParseResult;
  filter(text: string, filter: Filter, now: Date): ParseResult;
  format(value: unknown, field: Field): string | undefined;
}

/** The conversions of each kind. A new kind doesn't compile until it is added here. */
const conversions: Readonly<Record<Kind, KindConversions>> = {
  text: { parse: parseText, filter: parseFilterText, format: formatScalar },
  one: { parse: parseText, filter: parseFilterIds, format: formatScalar },
  integer: { parse: parseInteger, filter: parseFilterNumbers, format: formatScalar },
  decimal: { parse: parseDecimal, filter: parseFilterNumbers, format: formatScalar },
  numeric_text: { parse: parseNumericText, filter: parseFilterText, format: formatScalar },
  unit: { parse: parseUnit, filter: parseFilterText, format: formatScalar },
  boolean: { parse: parseBoolean, filter: parseBoolean, format: formatScalar },
  date: { parse: parseDate, filter: parseFilterDay, format: formatScalar },
  timestamp: {
    parse: () => ({ problem: 'is set by the service' }),
    filter: parseFilterTimestamp,
    format: formatScalar,
  },
  choice: {
    parse: (text, field) => parseWord(field, text, field.traits.creatable),
    filter: parseFilterWords,
    format: (value, field) => inputWordOf(field, value),
  },
  hour: { parse: parseHour, filter: parseFilterText, format: formatScalar },
  words: { parse: parseTextList, filter: parseFilterText, format: (value) => formatList(value, String) },
  integers: {
    parse: (text, field) => parseList(text, (part) => parseWord(field, part)),
    filter: parseFilterWords,
    format: (value, field) => formatList(value, (item) => inputWordOf(field, item)),
  },
  ids: { parse: parseTextList, filter: parseFilterText, format: (value) => formatList(value, String) },
  many: {
    // Links with values other than an ID and a number need JSON.
    parse: (text, field) =>
      linksPattern.test(text) ? parseStructure(text) : parseList(text, (part) => parseLink(field, part)),
    filter: parseFilterIds,
    format: (value, { traits: { amountField } }) =>
      Array.isArray(value) && value.every((link) => isIdWithAmount(link, amountField))
        ? formatList(value, (link) => formatLink(link, amountField))
        : undefined,
  },
  ring: { parse: parseStructure, filter: parseFilterText, format: (value) => JSON.stringify(value) },
  object: { parse: parseStructure, filter: parseFilterText, format: (value) => JSON.stringify(value) },
  objects: { parse: parseStructure, filter: parseFilterText, format: (value) => JSON.stringify(value) },
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

function parseText(text: string): ParseResult {
  return { value: text };
}

function parseFilterText(text: string, { match }: Filter): ParseResult {
  return text === '' && match !== 'unknown' ? { problem: 'must not be empty' } : { value: text };
}

function parseFilterIds(text: string): ParseResult {
  const problem = quoteProblem(text) ?? (text === '' ? 'must not be empty' : undefined);
  return problem === undefined ? { value: text } : { problem };
}

function parseFilterNumbers(text: string, { value }: Filter): ParseResult {
  return parseQueryList(text, (part) => parseValue(value, part));
}

function parseFilterWords(text: string, { value }: Filter): ParseResult {
  return parseQueryList(text, (part) => parseWord(value, part));
}

function parseFilterTimestamp(text: string, _: Filter, now: Date): ParseResult {
  const time = parseFilterTime(text, now);
  return time
    ? { value: formatTimestamp(time) }
    : {
        problem:
          'must be a time such as 2026-11-20 08:30:00 (UTC) or 2026-11-20T11:30:00+03:00, or 12h for 12 hours ago',
      };
}

function parseFilterDay(text: string, _: Filter, now: Date): ParseResult {
  const time = parseFilterTime(text, now);
  return time
    ? { value: formatTimestamp(time).slice(0, 10) }
    : { problem: 'must be a date such as 2026-11-20, or 7d for 7 days ago' };
}

function parseBoolean(text: string): ParseResult {
  return text === 'true' || text === 'false'
    ? { value: text === 'true' }
    : { problem: 'must be true or false' };
}

function parseDate(text: string): ParseResult {
  const problem = dateProblem(text);
  return problem === undefined ? { value: text } : { problem };
}

const numberProblem = 'must be a number, such as 2.5';

function parseInteger(text: string): ParseResult {
  const value = Number(text);
  if (!integerPattern.test(text)) return { problem: 'must be a whole number, such as 12' };
  return Number.isSafeInteger(value) ? { value } : { problem: 'is too large to be sent exactly' };
}

function parseDecimal(text: string): ParseResult {
  if (!decimalPattern.test(text)) return { problem: numberProblem };
  const problem = describeInexactness(text);
  return problem === undefined ? { value: Number(text) } : { problem };
}

function parseNumericText(text: string): ParseResult {
  return decimalPattern.test(text) ? { value: text } : { problem: numberProblem };
}

/** A number with leading zeros is a name. */
function parseUnit(text: string): ParseResult {
  return integerPattern.test(text) && !/^\D?0\d/.test(text) ? parseInteger(text) : { value: text };
}

/** Parses a word of an enumeration or its number. Validation checks whether the number is allowed. */
function parseWord(field: Field, text: string, allowedValues?: readonly number[]): ParseResult {
  if (integerPattern.test(text)) return parseInteger(text);
  const normalize = (word: string) => word.toLowerCase().replaceAll(/[\s_-]+/g, ' ');
  const match = Object.entries(field.traits.words ?? {}).find(
    ([word]) => normalize(word) === normalize(text),
  );
  if (match) return { value: match[1] };
  const suggestion = orDidYouMean(inputWord(text), inputWords(field, allowedValues));
  return { problem: `must be one of ${listWords(field, allowedValues)}${suggestion}` };
}

/** Returns words with their numbers for messages: "draft (1) or closed (2)". */
export function listWords(
  { traits: { words = {} } }: Field,
  values: readonly number[] = Object.values(words),
): string {
  const choices = Object.entries(words)
    .filter(([, value]) => values.includes(value))
    .map(([word, value]) => `${inputWord(word)} (${value})`);
  return choices.length > 1 ? `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` : choices.join('');
}

/** Parses a whole hour: `9`, `09` and `09:00` are the same. */
function parseHour(text: string): ParseResult {
  const parts = /^(\d{1,2})(:00)?$/.exec(text);
  return parts ? { value: Number(parts[1]) } : { problem: 'must be a whole hour, such as 9 or 21' };
}

/** Parses an ID, or `ID=2.5` if the link has a number; the number may be omitted if it isn't required. */
function parseLink({ traits: { amountField, pivot } }: Field, part: string): ParseResult {
  const isIdOnly =
    amountField === undefined || (!pivot?.[amountField]?.traits.required && !part.includes('='));
  return isIdOnly ? { value: { id: part } } : parseAmount(amountField, part);
}

function parseAmount(amountField: string, part: string): ParseResult {
  const [, id, number = ''] = /^(.+)=([^=]*)$/s.exec(part) ?? [];
  const { value, problem } = parseDecimal(number);
  if (id !== undefined && problem === undefined) return { value: { id, [amountField]: value } };
  if (id !== undefined && problem !== numberProblem)
    return { problem: `contains ${number}, which ${problem}` };
  return {
    problem: `must be ID=NUMBER, where the number is the ${amountField.replaceAll('_', ' ')}, found "${part}"`,
  };
}

function parseStructure(text: string): ParseResult {
  const { value, problems } = parseStrictJson(text);
  if (!problems) return { value };
  return {
    problem: problems.map(({ description }) => `can't be used: ${description}`).join('; ') || 'must be JSON',
  };
}

function parseTextList(text: string): ParseResult {
  return parseList(text, parseText);
}

function parseQueryList(text: string, parse: (part: string) => ParseResult): ParseResult {
  const result = parseList(text, parse);
  if (!Array.isArray(result.value)) return result;
  return result.value.length === 0 ? { problem: 'must not be empty' } : { value: result.value.join(',') };
}

function parseList(text: string, parse: (part: string) => ParseResult): ParseResult {
  const problem = quoteProblem(text);
  if (problem !== undefined) return { problem };
  const results = splitList(text).map(parse);
  const failed = results.find((result) => result.problem !== undefined);
  return failed ?? { value: results.map(({ value }) => value) };
}

function formatScalar(value: unknown): string | undefined {
  return value !== null && isScalar(value) ? String(value) : undefined;
}

function formatList(value: unknown, formatItem: (item: unknown) => string): string | undefined {
  return Array.isArray(value) ? joinList(value.map(formatItem)) : undefined;
}

/** Returns whether a link has only an ID and a number; other links need JSON. */
function isIdWithAmount(link: unknown, amountField: string | undefined): boolean {
  return !isObject(link) || Object.keys(link).every((name) => name === 'id' || name === amountField);
}

function formatLink(link: unknown, amountField: string | undefined): string {
  if (!isObject(link)) return String(link);
  return amountField && link[amountField] !== undefined ? `${link.id}=${link[amountField]}` : String(link.id);
}
