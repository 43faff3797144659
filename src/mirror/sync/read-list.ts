/** A resource’s list as a mirror reads it: deleted records in a pass of their own, and gone on with where it stopped. */
import { type Operation, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isDeleted, type Reading } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Mirrored } from '../schema/derive.ts';
import type { State } from '../schema/state.ts';
import { exactRows } from './exact-rows.ts';

type Page = ReturnType<Reading['pages']> extends AsyncGenerator<infer Page> ? Page : never;

export interface ListPage {
  /** Of the pass that shows everything, where there is one: from 1. Undefined for pages that nothing can be gone on from. */
  number?: number | undefined;
  rows: readonly Row[];
  /** When it was answered by the service’s clock, as HTTP writes it. */
  date?: string | undefined;
  total?: number | undefined;
  /** How many records this reading comes to, in all of its passes. */
  expected?: number | undefined;
  /** There was a pass before it, whose records may come again as they are now. */
  isLaterPass?: boolean;
}

export interface Asked {
  session: Session;
  mirrored: Mirrored;
  /** Only what has changed after this moment; everything without it. */
  after: string | undefined;
  deletedFilter: State['deletedFilter'];
}

/** Whether the list can be asked for what has changed since a moment, and records tell when they did. */
export function canAskSince(resource: Resource): boolean {
  return hasFilter(resource, 'updated_after') && Object.hasOwn(resource.fields, 'updated_at');
}

/** Whether the list shows deleted records, and they can be told from others. */
function showsDeleted(resource: Resource): boolean {
  return hasFilter(resource, 'is_deleted') && Object.hasOwn(resource.fields, 'deleted_at');
}

function hasFilter({ filters }: Resource, name: string): boolean {
  return filters.some((filter) => filter.name === name);
}

/**
 * Deleted records come in a pass of their own, the first. Some services show the active ones with them: that is
 * everything then, and `learnThatAll` is called. Where it shows none, the active ones are asked for as well.
 */
export async function* readPasses(asked: Asked, learnThatAll: () => void): AsyncGenerator<ListPage> {
  const { mirrored, after, deletedFilter } = asked;
  const changed = after === undefined ? {} : { updated_after: after };
  let isAll = false;
  let before = 0;
  if (showsDeleted(mirrored.resource)) {
    isAll = deletedFilter === 'include';
    for await (const page of pagesOf(asked, { ...changed, is_deleted: 'true' })) {
      if (!isAll && page.rows.some((row) => !isDeleted(row))) {
        isAll = true;
        learnThatAll();
      }
      before += page.rows.length;
      yield isAll ? { ...shown(page, page.number), expected: page.total } : shown(page, undefined);
    }
  }
  if (isAll) return;
  for await (const page of pagesOf(asked, changed)) {
    const expected = page.total === undefined ? undefined : before + page.total;
    yield { ...shown(page, undefined), expected, isLaterPass: before > 0 };
  }
}

/**
 * The pages of the pass that shows everything, from one on. Nothing goes from that list, so that only what is new may
 * have moved its rows: whoever reads on counts them in the end.
 */
export async function* readFrom(asked: Asked, first: number): AsyncGenerator<ListPage> {
  for (let number = first; ; number++) {
    for await (const page of pagesOf(asked, { is_deleted: 'true' }, number)) {
      const { rows, lastPage, hasNext } = page;
      yield shown(page, number);
      const isLast = lastPage === undefined ? hasNext !== true : number >= lastPage;
      if (isLast || rows.length === 0) return;
    }
  }
}

function shown({ rows, body, date, total }: Page, number: number | undefined): ListPage {
  return { number, rows: exactRows(rows, body), date, total };
}

function pagesOf({ session, mirrored }: Asked, filters: Record<string, string>, page?: number) {
  const { resource, includes } = mirrored;
  const query = { filters, optional: [...includes], ...(page !== undefined && { page }) };
  return session.list({ operation: listOf(resource), query }, { isWanted: page === undefined }).pages();
}

export function listOf(resource: Resource): Operation {
  const list = operation(resource, 'list');
  if (!list) throw new Error(`${resource.name} has no list`);
  return list;
}
