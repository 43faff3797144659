/** From what a person types to the value that stands in the JSON, by the field's kind. */
import type { Field } from './field.ts';
import type { Filter } from './filter.ts';
import { readJson } from './json-text.ts';
import { quoteProblem, splitList } from './list-text.ts';
import { formatTimestamp, isDate, readMoment } from './moment.ts';
import { decimalForm, inexactness } from './number-text.ts';

/** Either the value or one sentence's end that says what is wrong: "must be a whole number, such as 966". */
export type Read = { value: unknown; problem?: never } | { value?: never; problem: string };

const integerForm = /^[+-]?\d+$/;

/** A field's value from one argument of the command line. */
export function readText(field: Field, text: string): Read {
  switch (field.kind) {
    case 'text':
    case 'one':
      return { value: text };
    case 'integer':
      return readInteger(text);
    case 'decimal':
      return readDecimal(text);
    case 'numeric_text':
      return decimalForm.test(text) ? { value: text } : { problem: noNumber };
    case 'unit':
      return integerForm.test(text) ? readInteger(text) : { value: text };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { value: text === 'true' }
        : { problem: 'must be true or false' };
    case 'date':
      return isDate(text)
        ? { value: text }
        : { problem: 'must be a day of the calendar, written YYYY-MM-DD, such as 2026-11-20' };
    case 'timestamp':
      return { problem: 'is given by the service' };
    case 'choice':
      return readWord(field, text, field.traits.creatable);
    case 'hour':
      return readHour(text);
    case 'words':
    case 'ids':
      return readList(text, (part) => ({ value: part }));
    case 'integers':
      return readList(text, (part) => readWord(field, part));
    case 'many': {
      const { amount } = field.traits;
      return readList(text, (part) => (amount ? readAmount(amount, part) : { value: { id: part } }));
    }
    case 'ring':
    case 'object':
    case 'objects':
      return readStructure(text);
  }
}

/** A filter's value as it goes into the query: words become numbers, moments UTC, several values a comma list. */
export function readFilter({ value: field, match }: Filter, text: string, now: Date): Read {
  switch (field.kind) {
    case 'choice':
    case 'integers':
      return readQueryList(text, (part) => readWord(field, part));
    case 'timestamp': {
      const moment = readMoment(text, now);
      return moment
        ? { value: formatTimestamp(moment) }
        : {
            problem:
              'must be a moment: 2026-11-20 08:30:00 (UTC), 2026-11-20T11:30:00+03:00, or 7d or 12h for "ago"',
          };
    }
    case 'date': {
      const moment = readMoment(text, now);
      return moment
        ? { value: formatTimestamp(moment).slice(0, 10) }
        : { problem: 'must be a day, such as 2026-11-20, or 7d for "seven days ago"' };
    }
    case 'boolean':
      return readText(field, text);
    case 'integer':
    case 'decimal':
      return readQueryList(text, (part) => readText(field, part));
    case 'one':
    case 'many': {
      const problem = quoteProblem(text) ?? (text === '' ? 'must not be empty' : undefined);
      return problem === undefined ? { value: text } : { problem };
    }
    default:
      return text === '' && match !== 'unknown' ? { problem: 'must not be empty' } : { value: text };
  }
}

/** `dial_code` and `tags.id` as people type them: `--dial-code`, `--tags-id`, without the dashes in front. */
export function flagName(name: string): string {
  return name.replaceAll(/[_.]/g, '-');
}

/** The words of an enumeration as people type them on the command line: `price-reduction`. */
export function typedWords(field: Field): string[] {
  return Object.keys(field.traits.words ?? {}).map((word) => word.replaceAll(' ', '-'));
}

/** The word for a value of an enumeration, where it has one. */
export function wordOf(field: Field, value: unknown): string | undefined {
  return Object.entries(field.traits.words ?? {}).find(([, number]) => number === value)?.[0];
}

const noNumber = 'must be a number, such as 2.5';

function readInteger(text: string): Read {
  const value = Number(text);
  if (!integerForm.test(text)) return { problem: 'must be a whole number, such as 12' };
  return Number.isSafeInteger(value) ? { value } : { problem: 'is too large to be sent exactly' };
}

function readDecimal(text: string): Read {
  if (!decimalForm.test(text)) return { problem: noNumber };
  const problem = inexactness(text);
  return problem === undefined ? { value: Number(text) } : { problem };
}

/** A number or its word; whether the number is one of the allowed is for validation to say. */
function readWord(field: Field, text: string, offered?: readonly number[]): Read {
  if (integerForm.test(text)) return readInteger(text);
  const plain = (word: string) => word.toLowerCase().replaceAll(/[\s_-]+/g, ' ');
  const match = Object.entries(field.traits.words ?? {}).find(([word]) => plain(word) === plain(text));
  return match ? { value: match[1] } : { problem: `must be one of ${listWords(field, offered)}` };
}

/** "draft (1) or closed (2)": the words of some values with their numbers, for messages. */
export function listWords(
  { traits: { words = {} } }: Field,
  values: readonly number[] = Object.values(words),
): string {
  const listed = Object.entries(words)
    .filter(([, value]) => values.includes(value))
    .map(([word, value]) => `${word.replaceAll(' ', '-')} (${value})`);
  return listed.length > 1 ? `${listed.slice(0, -1).join(', ')} or ${listed.at(-1)}` : listed.join('');
}

/** Whole hours: `9`, `09` and `09:00` are the same. */
function readHour(text: string): Read {
  const parts = /^(\d{1,2})(:00)?$/.exec(text);
  return parts ? { value: Number(parts[1]) } : { problem: 'must be a whole hour, such as 9 or 21' };
}

function readAmount(amount: string, part: string): Read {
  const [, id, number = ''] = /^(.+)=([^=]*)$/s.exec(part) ?? [];
  const { value, problem } = readDecimal(number);
  if (id !== undefined && problem === undefined) return { value: { id, [amount]: value } };
  if (id !== undefined && problem !== noNumber) return { problem: `holds ${number}, which ${problem}` };
  return {
    problem: `must be ID=NUMBER, where the number is the ${amount.replaceAll('_', ' ')}: "${part}" is not`,
  };
}

function readStructure(text: string): Read {
  const { value, problems } = readJson(text);
  if (!problems) return { value };
  return { problem: problems.map(({ what }) => `can’t be used: ${what}`).join('; ') || 'must be JSON' };
}

function readQueryList(text: string, read: (part: string) => Read): Read {
  const all = readList(text, read);
  if (!Array.isArray(all.value)) return all;
  return all.value.length === 0 ? { problem: 'must not be empty' } : { value: all.value.join(',') };
}

function readList(text: string, read: (part: string) => Read): Read {
  const problem = quoteProblem(text);
  if (problem !== undefined) return { problem };
  const results = splitList(text).map(read);
  const failed = results.find((result) => result.problem !== undefined);
  return failed ?? { value: results.map(({ value }) => value) };
}
