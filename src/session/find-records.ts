/**
 * Finds records that have one of many values, with as few requests as the list allows: by its filters, or by reading
 * it completely.
 */
import { Failure, usage } from '../base/errors.ts';
import type { Page, Row } from '../client/answer.ts';
import type { Filter } from '../contract/filter.ts';
import { keyForm, partsToQuery, valuesToQuery } from '../contract/key-form.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { isDeleted, type Lists, type Reach } from './list.ts';

/** How many pages of answers to a common part of a name are read: more of them are other names. */
const maxPagesOfPart = 3;

/**
 * How many requests are sent without comparing them with the length of the list: one takes a hundred values, or one
 * part of a text.
 */
const maxUncompared = { values: 3, parts: 2 };

/** How many pages of the list can be read in the time of one request by values, which takes longer. */
const pagesPerRequest = 1.25;

export interface WantedRecords {
  resource: Resource;
  asks: readonly Ask[];
  /** Relations to include. */
  include?: readonly string[] | undefined;
  /** Relations to include if the token may read them. */
  optional?: readonly string[] | undefined;
  /** Only deleted records. */
  deletedOnly?: boolean | undefined;
  /** Reads the whole list even if requests by values would be fewer. */
  isWhole?: boolean | undefined;
  /** Called before the first page if the whole list is read. */
  onWhole?: (() => void) | undefined;
  /** The maximum number of pages of one answer; more throw `usage`. */
  maxPages?: number | undefined;
}

/**
 * Yields pages of records that contain all records with one of the values. Other records may be among them, and one
 * may occur twice: the caller compares them by `keyForm`. Throws `usage` for a resource that can't be listed.
 */
export async function* findRecords(lists: Lists, wanted: WantedRecords): AsyncGenerator<readonly Row[]> {
  const questions = wanted.isWhole ? undefined : questionsFor(wanted.resource, wanted.asks);
  if (questions?.length === 0) return;
  const pages = questions?.reduce((sum, question) => sum + question.pages, 0);
  const isOfValues = questions?.every(({ filter }) => filter?.match === 'equals');
  const most = isOfValues ? maxUncompared.values : maxUncompared.parts;
  const isCompared = questions === undefined || questions.length > most;
  if (isCompared && (yield* wholeList(lists, wanted, pages))) return;
  const found = new Set<string>();
  for (const question of questions ?? [])
    for await (const rows of answersTo(lists, wanted, question)) {
      for (const key of foundKeys(question, rows)) found.add(key);
      yield rows;
    }
  for (const question of questionsByCommonPart(questions ?? [], found))
    yield* answersTo(lists, wanted, question, maxPagesOfPart);
}

/** Returns the keys of records that were found by a part of a text. */
function foundKeys({ filter }: Question, rows: readonly Row[]): string[] {
  if (filter?.match !== 'contains') return [];
  const shown = rows.map((row) => row[filter.on ?? '']).filter((value) => typeof value === 'string');
  return shown.map((value) => questionKey(filter, keyForm(filter.value, value)));
}

/** Returns false if the list is longer than the answers to all requests by values: then nothing was yielded. */
async function* wholeList(
  lists: Lists,
  wanted: WantedRecords,
  pages = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Row[], boolean> {
  // The first page says how long the list is. Some don't, and are read on only where asking is no way.
  const isShort = ({ lastPage }: Page) =>
    lastPage === undefined ? pages === Number.POSITIVE_INFINITY : lastPage <= pages * pagesPerRequest;
  for await (const page of pagesOf(lists, wanted, {}, { isWanted: isShort })) {
    if (page.number === 1 && !isShort(page)) return false;
    if (page.number === 1) wanted.onWhole?.();
    yield page.rows;
  }
  return true;
}

/** Yields the answers, up to `maxPages` or else as many as the caller allows. */
async function* answersTo(
  lists: Lists,
  wanted: WantedRecords,
  { filter, text, values }: Question,
  maxPages?: number,
): AsyncGenerator<readonly Row[]> {
  if (!filter) return yield* recordOf(lists, wanted, text);
  let count = 0;
  for await (const { rows } of pagesOf(lists, wanted, { [filter.name]: text })) {
    if (maxPages !== undefined && count >= maxPages) return;
    if (count++ >= (wanted.maxPages ?? Number.POSITIVE_INFINITY)) {
      const names = values.map((value) => `@${value}`).join(', ');
      throw usage(`${names} matches too many names.`, { hint: 'Use the ID.' });
    }
    yield rows;
  }
}

async function* recordOf(
  lists: Lists,
  { resource, include, deletedOnly = false }: WantedRecords,
  id: string,
): AsyncGenerator<readonly Row[]> {
  const get = operation(resource, 'get');
  if (!get) return;
  try {
    const { record } = await lists.get({ operation: get, ids: [id], query: { include } });
    if (!deletedOnly || isDeleted(record)) yield [record];
  } catch (error) {
    const isNone = error instanceof Failure && (error.category === 'not_found' || error.category === 'usage');
    if (!isNone) throw error;
  }
}

function pagesOf(
  lists: Lists,
  { resource, include = [], optional = [], deletedOnly = false }: WantedRecords,
  filters: Record<string, string>,
  reach: Reach = {},
): AsyncGenerator<Page> {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} can't be listed, so they can't be found by key or name.`);
  return lists
    .list({ operation: list, query: { filters, include, optional } }, { ...reach, deletedOnly })
    .pages();
}

/** The number of keys in one request. */
const maxBatchKeys = 100;

/** The usual number of records of a page. */
const usualPageRows = 50;

/** Up to this many values are also searched for with separators between the digits of phone numbers. */
const maxThorough = 10;

/** The maximum length of the values in a URL. */
const maxAddressLength = 4000;

/** Values of one field by which to find records. */
export interface Ask {
  /** The field by its name in answers; `id` for ids. */
  by: string;
  /** The filter to use; by default it is chosen by the field. */
  filter?: Filter | undefined;
  /** The values as written. Each may be requested in several spellings. */
  values: Iterable<string>;
}

/** One request. */
export interface Question {
  /** The filter; undefined for a record that is read by its id. */
  filter: Filter | undefined;
  /** The filter's value, or the id. */
  text: string;
  /** The values that it finds. */
  values: readonly string[];
  /** The minimum number of pages of the answer if all values are found. */
  pages: number;
}

/** Returns the requests for records that have one of the values; undefined if only the whole list can show that. */
function questionsFor(resource: Resource, asks: readonly Ask[]): Question[] | undefined {
  const all: Question[] = [];
  for (const ask of asks) {
    const filter = ask.filter ?? filterFor(resource, ask.by);
    // What can't be an id needn't be asked for as one: names in files may be either.
    const values = [...ask.values].filter((text) => ask.by !== 'id' || !/[\s,]/.test(text));
    if (values.length === 0) continue;
    const own = filter ? questionsBy(filter, values) : questionsById(resource, ask.by, values);
    if (own === undefined) return undefined;
    for (const question of own) all.push(question);
  }
  return all;
}

/** Returns a filter whose results can be compared with a value: filters for whole values are preferred. */
function filterFor({ filters }: Resource, by: string): Filter | undefined {
  const on = (match: Filter['match']) => filters.find((each) => each.on === by && each.match === match);
  return on('equals') ?? on('contains');
}

/** Returns the field of a key to filter by: the one that the fewest records share. Undefined if there is none. */
export function filterForKey(resource: Resource, names: readonly string[]): string | undefined {
  let [best, most]: [string | undefined, number] = [undefined, 0];
  for (const name of names) {
    const rank = rankOf(filterFor(resource, name));
    if (rank > most) [best, most] = [name, rank];
  }
  return best;
}

/** Returns the rank of a filter: the fewer records share a value, the higher. */
function rankOf(filter: Filter | undefined): number {
  if (!filter) return 0;
  if (filter.match === 'contains') return 2;
  if (filter.value.traits.target !== undefined) return 3;
  return filter.value.kind === 'text' ? 4 : 1;
}

function questionsById(resource: Resource, by: string, values: readonly string[]): Question[] | undefined {
  if (by !== 'id' || !operation(resource, 'get')) return undefined;
  return values.map((text) => ({ filter: undefined, text, values: [text], pages: 1 }));
}

function questionsBy(filter: Filter, values: readonly string[]): Question[] | undefined {
  return filter.match === 'contains' ? questionsByPart(filter, values) : questionsByValue(filter, values);
}

/** Returns the requests for a filter by parts of texts: one for each spelling of each text. */
function questionsByPart(filter: Filter, asked: readonly string[]): Question[] | undefined {
  const byText = new Map<string, string[]>();
  for (const value of asked) {
    const { whole } = partsToQuery(filter.value, value);
    if (!whole.every(fitsAddress)) return undefined;
    for (const text of whole) byText.set(text, [...(byText.get(text) ?? []), value]);
  }
  return [...byText].map(([text, values]) => ({ filter, text, values, pages: 1 }));
}

/**
 * Returns further requests for texts that were not found: a record may be written differently, such as with two
 * spaces between words. They search for a part that all spellings have.
 */
function questionsByCommonPart(questions: readonly Question[], found: ReadonlySet<string>): Question[] {
  const asked = new Set(questions.map(({ filter, text }) => questionKey(filter, text)));
  const further = new Map<string, Question>();
  for (const { filter, values } of questions) {
    if (filter?.match !== 'contains') continue;
    for (const value of values) {
      const { common } = partsToQuery(filter.value, value);
      const isFound = found.has(questionKey(filter, keyForm(filter.value, value)));
      if (common === undefined || isFound) continue;
      const key = questionKey(filter, common);
      if (!asked.has(key)) further.set(key, { filter, text: common, values: [value], pages: 1 });
    }
  }
  return [...further.values()];
}

function questionKey(filter: Filter | undefined, text: string): string {
  return `${filter?.name} ${text}`;
}

/** Returns the requests for a filter by whole values, with all spellings. */
function questionsByValue(filter: Filter, asked: readonly string[]): Question[] | undefined {
  const isText = filter.value.kind === 'text';
  const byKey = new Map<string, Set<string>>();
  for (const value of asked) {
    // A comma stands between values: a text that holds one can't be asked for.
    if (isText && value.includes(',')) return undefined;
    const key = keyForm(filter.value, value);
    const ways = byKey.get(key) ?? new Set<string>();
    byKey.set(key, ways);
    for (const way of valuesToQuery(filter.value, value, asked.length <= maxThorough)) ways.add(way);
  }
  const questions: Question[] = [];
  let [texts, values, length]: [string[], string[], number] = [[], [], 0];
  const end = () => {
    const pages = Math.ceil(values.length / usualPageRows);
    if (pages > 0) questions.push({ filter, text: texts.join(','), values, pages });
    [texts, values, length] = [[], [], 0];
  };
  for (const [key, ways] of byKey) {
    const text = [...ways].join(',');
    if (!fitsAddress(text)) return undefined;
    const size = inAddress(text) + 1;
    if (values.length >= maxBatchKeys || length + size > maxAddressLength) end();
    texts.push(text);
    values.push(key);
    length += size;
  }
  end();
  return questions;
}

function fitsAddress(text: string): boolean {
  // No character takes more than nine of an address.
  return text.length * 9 <= maxAddressLength || inAddress(text) <= maxAddressLength;
}

function inAddress(text: string): number {
  return encodeURIComponent(text.toWellFormed()).length;
}
