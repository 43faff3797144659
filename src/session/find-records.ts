/** Records that have one of many values, found in as few requests as the list allows: by its filters, or by reading it whole. */
import { Failure, usage } from '../base/errors.ts';
import type { Page, Row } from '../client/answer.ts';
import type { Answered } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Filter } from '../contract/filter.ts';
import { keyForm } from '../contract/key-form.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { isDeleted, type ListCall, type Reach, type Reading } from './list.ts';
import { type Ask, type Question, questionsByCommonPart, questionsFor } from './questions.ts';

/** Pages that are read of the answer to a part that every spelling of a name has: more of them are other names. */
const maxPagesOfPart = 3;

/** Requests that are sent without asking first how long the list is: one takes a hundred whole values, or one part of a text. */
const maxUncompared = { values: 3, parts: 2 };

/** Pages of the list that are read in the time of one request for values, whose address has to be made and looked up. */
const pagesPerRequest = 1.25;

export interface WantedRecords {
  resource: Resource;
  asks: readonly Ask[];
  /** Relations that the answers have to show. */
  include?: readonly string[] | undefined;
  /** Relations that they have to show where the token may see them. */
  optional?: readonly string[] | undefined;
  /** Deleted records alone. */
  deletedOnly?: boolean | undefined;
  /** The list is read whole even where asking takes fewer requests. */
  isWhole?: boolean | undefined;
  /** Called before the first page where the list is read whole. */
  onWhole?: (() => void) | undefined;
  /** Pages that may be read of one answer; more of them throw `usage`. */
  maxPages?: number | undefined;
}

/** What a session reads with, or a client that stays within its scopes. */
export interface Lists {
  list(call: ListCall, reach?: Reach): Pick<Reading, 'pages'>;
  get(call: Call): Promise<Answered>;
}

/**
 * Pages of records among which all are that have one of the values; there may be others among them, and one may come
 * twice. The caller holds them against the values by `keyForm`. Throws `usage` for a resource that can't be listed.
 */
export async function* findRecords(lists: Lists, wanted: WantedRecords): AsyncGenerator<readonly Row[]> {
  const questions = wanted.isWhole ? undefined : questionsFor(wanted.resource, wanted.asks);
  if (questions?.length === 0) return;
  const pages = questions?.reduce((sum, question) => sum + question.pages, 0);
  const isOfValues = questions?.every(({ filter }) => filter?.match === 'equals');
  const most = isOfValues ? maxUncompared.values : maxUncompared.parts;
  const isCompared = questions === undefined || questions.length > most;
  if (isCompared && (yield* wholeList(lists, wanted, pages))) return;
  const found = new FoundKeys();
  for (const question of questions ?? [])
    for await (const rows of answersTo(lists, wanted, question)) {
      found.add(question, rows);
      yield rows;
    }
  for (const question of questionsByCommonPart(questions ?? [], found.has))
    yield* answersTo(lists, wanted, question, maxPagesOfPart);
}

/** The keys of records that were found by parts of texts, by filter. */
class FoundKeys {
  readonly #keys = new Set<string>();

  add({ filter }: Question, rows: readonly Row[]): void {
    if (filter?.match !== 'contains') return;
    for (const row of rows) {
      const shown = row[filter.on ?? ''];
      if (typeof shown === 'string') this.#keys.add(`${filter.name} ${keyForm(filter.value, shown)}`);
    }
  }

  readonly has = (filter: Filter, key: string): boolean => this.#keys.has(`${filter.name} ${key}`);
}

/** Answers false where the list is longer than the answers to all questions: then nothing of it was yielded. */
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

/** With `maxPages` no more of them than that; else as many as the caller allows. */
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
      throw usage(`${names} is part of too many names.`, { hint: 'Give the id.' });
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
  if (!list) throw usage(`${resource.command} can’t be listed, so none can be found by its key or name.`);
  return lists
    .list({ operation: list, query: { filters, include, optional } }, { ...reach, deletedOnly })
    .pages();
}
