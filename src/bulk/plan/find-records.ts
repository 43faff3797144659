/** Records that the service holds already, found in as few requests as the rows and the list allow. */

import type { Filter } from '../../contract/filter.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { Failure } from '../../errors.ts';
import { isDeleted, type Reach } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';

/** As many as a page holds: each request then has one page. */
const valuesAtATime = 50;
/** Of the address of a request. */
const mostCharacters = 4000;

export interface Wanted {
  resource: Resource;
  /** The field that is asked for, in the words of answers; `id` for ids. */
  by: string;
  /** Its values, each once. */
  values: readonly string[];
  /** Relations that the answer has to show. */
  include?: readonly string[];
  /** Those that it has to show where the token may see them. */
  optional?: readonly string[];
  /** Deleted records alone. */
  deletedOnly?: boolean;
}

/** Pages of records among which all are that have one of the values; there may be others among them. */
export async function* findRecords(session: Session, wanted: Wanted): AsyncGenerator<readonly Row[]> {
  const { resource, values, include = [], optional = [], deletedOnly = false } = wanted;
  const list = operation(resource, 'list');
  const one = waysToAsk(wanted);
  if (values.length === 0) return;
  const pages = (filters: Record<string, string>, reach: Reach = {}) => {
    if (!list)
      throw new Failure('usage', `${resource.command} can’t be listed, so rows can’t be matched with them.`);
    return session
      .list({ operation: list, query: { filters, include, optional } }, { ...reach, deletedOnly })
      .pages();
  };
  if (one === undefined || one.requests > 1) {
    let isFirst = true;
    for await (const page of pages({})) {
      // The first page tells how long the list is; where asking is cheaper, it was read in vain.
      if (isFirst && one && (page.lastPage === undefined || page.lastPage > one.requests)) break;
      isFirst = false;
      yield page.rows;
    }
    if (!isFirst || one === undefined) return;
  }
  yield* one.ask(session, pages);
}

type Pages = (filters: Record<string, string>) => AsyncGenerator<{ rows: readonly Row[] }>;

interface Way {
  /** How many requests it takes, at least. */
  requests: number;
  ask(session: Session, pages: Pages): AsyncGenerator<readonly Row[]>;
}

/** Undefined where nothing but the whole list can tell. */
function waysToAsk({ resource, by, values, include = [], deletedOnly = false }: Wanted): Way | undefined {
  const filter = filterFor(resource, by);
  if (filter && !values.every(fitsAddress)) return undefined;
  if (filter?.match === 'equals') {
    const batches = batchesOf(values);
    return {
      requests: batches.length,
      async *ask(_, pages) {
        for (const batch of batches)
          for await (const { rows } of pages({ [filter.name]: batch.join(',') })) yield rows;
      },
    };
  }
  if (filter) {
    return {
      requests: values.length,
      async *ask(_, pages) {
        for (const value of values) for await (const { rows } of pages({ [filter.name]: value })) yield rows;
      },
    };
  }
  const get = operation(resource, 'get');
  if (by !== 'id' || !get) return undefined;
  return {
    requests: values.length,
    async *ask(session) {
      for (const id of values) {
        const record = await recordOrNone(session, { operation: get, ids: [id], query: { include } });
        if (record && (!deletedOnly || isDeleted(record))) yield [record];
      }
    },
  };
}

async function recordOrNone(session: Session, call: Parameters<Session['get']>[0]): Promise<Row | undefined> {
  try {
    return (await session.get(call)).record;
  } catch (error) {
    const isNone = error instanceof Failure && (error.category === 'not_found' || error.category === 'usage');
    if (isNone) return undefined;
    throw error;
  }
}

/** A filter whose answers can be held against the value. */
function filterFor(resource: Resource, by: string): Filter | undefined {
  const fitting = resource.filters.filter(
    ({ on, match }) => on === by && (match === 'equals' || match === 'contains'),
  );
  return fitting.find(({ match }) => match === 'equals') ?? fitting[0];
}

/** Whether a list can be asked for the value. */
export function fitsAddress(value: string): boolean {
  // No character takes more than nine of an address.
  return value.length * 9 <= mostCharacters || inAddress(value) <= mostCharacters;
}

function inAddress(value: string): number {
  return encodeURIComponent(value.toWellFormed()).length;
}

/** A value that holds a comma goes by itself: in a list it would be two. */
function batchesOf(values: readonly string[]): string[][] {
  const batches: string[][] = values.filter((value) => value.includes(',')).map((value) => [value]);
  let [batch, length]: [string[], number] = [[], 0];
  for (const value of values.filter((each) => !each.includes(','))) {
    const size = inAddress(value) + 1;
    if (batch.length >= valuesAtATime || (batch.length > 0 && length + size > mostCharacters)) {
      batches.push(batch);
      [batch, length] = [[], 0];
    }
    batch.push(value);
    length += size;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
