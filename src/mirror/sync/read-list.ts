/** A resource’s list as a mirror reads it: deleted records in a pass of their own, and gone on with where it stopped. */

import { ExactNumber } from '../../base/number-text.ts';
import { type Operation, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isDeleted, listWithDeleted, type Reading } from '../../session/list.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Mirrored } from '../schema/derive.ts';
import type { State } from '../schema/state.ts';

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

function hasFilter({ filters }: Resource, name: string): boolean {
  return filters.some((filter) => filter.name === name);
}

/**
 * Yields the pages of every record, deleted ones included. `learnThatAll` is called where the service shows active and
 * deleted records in one list: later readings can rely on it, and only that list can be resumed.
 */
export async function* readPasses(asked: Asked, learnThatAll: () => void): AsyncGenerator<ListPage> {
  const { session, mirrored, after, deletedFilter } = asked;
  const { resource, includes } = mirrored;
  const filters = after === undefined ? {} : { updated_after: after };
  const call = { operation: listOf(resource), query: { filters, optional: [...includes] } };
  const hasFilterOfDeleted = hasFilter(resource, 'is_deleted');
  let deleted = 0;
  for await (const page of listWithDeleted(session, call, { isAllKnown: deletedFilter === 'include' })) {
    const { list, total, rows } = page;
    const showsBoth = hasFilterOfDeleted && rows.some((row) => !isDeleted(row));
    if (list === 'all' && showsBoth && deletedFilter !== 'include') learnThatAll();
    if (list === 'deleted') deleted += rows.length;
    const isActive = list === 'active';
    yield {
      ...shown(page, list === 'all' && hasFilterOfDeleted ? page.number : undefined),
      // How many active ones there are is not known before their list.
      expected: total === undefined || list === 'deleted' ? undefined : isActive ? deleted + total : total,
      isLaterPass: isActive && deleted > 0,
    };
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

/** Zeros at the end of a fraction: nothing else is written otherwise than JavaScript would. */
const endsInZero = /\d\.\d*0[\s,}\]]/;

/** The same rows, from the body that they came in where that says more of their numbers. */
function exactRows(rows: readonly Row[], body: string): readonly Row[] {
  if (!endsInZero.test(body)) return rows;
  const written = new Map(
    recordsIn(JSON.parse(body, asWritten)).map((record) => [String(record.id), record]),
  );
  return rows.map((row) => written.get(String(row.id)) ?? row);
}

function asWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  const { source = '' } = context ?? {};
  return typeof value === 'number' && String(value) !== source ? new ExactNumber(source) : value;
}

/** Whatever stands around them. */
function recordsIn(body: unknown): Row[] {
  const lists = [body, ...(isRow(body) ? Object.values(body) : [])].filter(Array.isArray);
  return lists.flat().filter(isRow);
}
