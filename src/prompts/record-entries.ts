/** The records of a list to choose from: read page by page as needed, and searched in every column. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../base/errors.ts';
import { foldText } from '../base/fold-text.ts';
import type { Row } from '../client/shape.ts';
import { shownWithInclude } from '../contract/include.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { cardEntries } from '../output/records-for-people.ts';
import { labelOf } from '../output/wording.ts';
import type { Session } from '../session/session.ts';
import { renderCard } from '../terminal/card.ts';
import { numeral } from '../terminal/numeral.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import { isFound, type SearchedRow, searchedRow, searchFilters, searchTerms } from './search.ts';
import type { Choice, Entries } from './terminal/questions.ts';

/** A record to choose. */
export interface Found {
  id: string;
  /** The name of the record on the screen. */
  label: string;
  /** The record, if it was read. */
  record?: Row | undefined;
}

/** Which records can be chosen. */
export interface RecordsWanted {
  resource: Resource;
  /** Whether only deleted records can be chosen, for `restore`. */
  deleted?: boolean | undefined;
  /** Only records with this value: a tag, for example, is for one kind of record. */
  only?: { field: string; value: number } | undefined;
  /** Entries before the records, such as "(none)". */
  first?: readonly Choice<Found | undefined>[] | undefined;
  /** The chosen records, shown before the others. They need not have been read. */
  pinned?: readonly Found[] | undefined;
  /** Pages that are read for one text until the user asks for more. */
  pagesPerSearch?: number | undefined;
  /** The message of the failure if there are no records; without it the list is shown empty. */
  ifNone?: string | undefined;
}

/** Pages that are read for one text until the user asks for more: some services allow only 30 requests per minute. */
const maxPagesPerSearch = 20;

/** Requests with a filter for one text at most. */
const maxFilterRequests = 4;

/** Time without a key before the service is searched. */
const searchDelayMs = 250;

/** Time between two redraws of a list that is loading. */
const redrawIntervalMs = 60;

interface Known {
  choice: Choice<Found | undefined>;
  searched: SearchedRow;
}

/** Makes the entries of a resource's records. Nothing is read until entries are wanted. */
export function recordEntries(session: Session, wanted: RecordsWanted): Entries<Found | undefined> {
  const { resource, deleted = false, only, first = [], pinned = [], ifNone } = wanted;
  const list = operation(resource, 'list');
  const listeners = new Set<(failure?: unknown) => void>();
  const known: Known[] = pinned.map((found) => ({
    choice: { value: found, label: found.label, key: found.id },
    searched: found.record
      ? searchedRow(resource, found.record)
      : { text: foldText(found.label), id: foldText(found.id), phone: '', bare: [] },
  }));
  const ids = new Set(pinned.map(({ id }) => id));
  // The embedded sandbox is read to the end; a service on the network only up to a number of pages.
  const pagesPerSearch =
    session.settings.sandbox === undefined
      ? (wanted.pagesPerSearch ?? maxPagesPerSearch)
      : Number.POSITIVE_INFINITY;
  const filters =
    only && resource.filters.some(({ name }) => name === only.field)
      ? { [only.field]: String(only.value) }
      : {};
  const optional = shownWithInclude(resource, resource.columns);
  const reading =
    list && session.list({ operation: list, query: { filters, optional } }, { deletedOnly: deleted });
  const pages = reading?.pages();
  let isRead = pages === undefined;
  let work: Promise<void> | undefined;
  let problem = '';
  let goal = { typed: '', count: 0 };
  let budget = pagesPerSearch;
  let memo = { typed: '', size: -1, found: [] as readonly Choice<Found | undefined>[] };
  const asked = new Set<string>();

  const notify = (failure?: unknown) => {
    for (const listener of listeners) listener(failure);
  };

  const keep = (rows: readonly Row[]) => {
    for (const row of rows) {
      const id = String(row.id);
      if (ids.has(id) || (only && row[only.field] !== undefined && row[only.field] !== only.value)) continue;
      ids.add(id);
      known.push(knownOf(resource, row));
    }
  };

  const matching = (typed: string) => {
    if (memo.typed === typed && memo.size === known.length) return memo.found;
    const terms = searchTerms(resource, typed);
    const isAll = terms.words.length === 0 && !terms.isWhole;
    const found = known.filter(({ searched }) => isFound(searched, terms)).map(({ choice }) => choice);
    memo = { typed, size: known.length, found: isAll ? [...first, ...found] : found };
    return memo.found;
  };

  const isEnough = () => isRead || matching(goal.typed).length >= goal.count || budget <= 0;

  async function readPages(): Promise<void> {
    let notifiedAt = performance.now();
    try {
      while (pages && !isEnough()) {
        const { value, done } = await pages.next();
        // The embedded sandbox never waits, so pressed keys are handled here.
        await nextTurn();
        budget--;
        problem = '';
        if (done) isRead = true;
        else keep(value.rows);
        if (isRead && known.length === 0 && ifNone !== undefined) {
          return notify(new Failure('not_found', ifNone));
        }
        if (performance.now() - notifiedAt < redrawIntervalMs) continue;
        notifiedAt = performance.now();
        notify();
      }
    } catch (error) {
      if (isTemporary(error)) problem = error.message;
      isRead ||= !isTemporary(error);
      notify(isTemporary(error) ? undefined : error);
    } finally {
      work = undefined;
      notify();
    }
  }

  /** Searches with the service's filters, which is faster than reading all pages. */
  async function searchService(typed: string): Promise<void> {
    if (!list || deleted || isRead || typed.trim() === '' || asked.has(typed)) return;
    await new Promise((resolve) => setTimeout(resolve, searchDelayMs));
    if (goal.typed !== typed || isRead || asked.has(typed) || matching(typed).length >= goal.count) return;
    asked.add(typed);
    for (const { filter, value } of searchFilters(resource, typed).slice(0, maxFilterRequests)) {
      try {
        const query = { filters: { ...filters, [filter.name]: value }, optional };
        const found = session.list({ operation: list, query }, { isFirstPageOnly: true });
        keep(await Array.fromAsync(found.rows()));
        notify();
      } catch {
        // Reading the pages reports the failure; this search is only a shortcut.
        return;
      }
    }
  }

  const status = (typed: string) => {
    if (problem !== '') return problem;
    const found = matching(typed).length - (typed === '' ? first.length : 0);
    const total = isRead ? known.length : Math.max(reading?.facts().total ?? 0, known.length);
    const whole = deleted || total === 0 ? (isRead ? known.length : undefined) : total;
    if (known.length === 0) return isRead ? `No ${resource.nouns}.` : `Loading ${resource.nouns}…`;
    const of = whole === undefined ? '' : ` of ${numeral(whole)}`;
    if (isRead || typed === '') return `${numeral(found)}${of}`;
    const among = `${numeral(found)} in ${numeral(known.length)}${of}`;
    return work ? `${among}, loading more…` : `${among}, press Down to load more`;
  };

  return {
    matching,
    status,
    isWhole: () => isRead,
    want: async (typed, count) => {
      if (typed !== goal.typed || count > goal.count) budget = pagesPerSearch;
      goal = { typed, count };
      void searchService(typed);
      if (!isEnough()) work ??= readPages();
      await work;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns whether a later request may succeed after a failure: no connection, or too many requests. */
function isTemporary(error: unknown): error is Failure {
  return error instanceof Failure && (error.category === 'unavailable' || error.category === 'rate_limited');
}

/** Makes the entry of a record that was read. */
export function foundOf(resource: Resource, row: Row): Found {
  return { id: String(row.id), label: labelOf(resource, row), record: row };
}

function choiceOf(resource: Resource, row: Row): Choice<Found> {
  const found = foundOf(resource, row);
  return {
    value: found,
    label: found.label,
    key: found.id,
    description: `id ${found.id}`,
    preview: () => preview(resource, row),
  };
}

function knownOf(resource: Resource, row: Row): Known {
  return { choice: choiceOf(resource, row), searched: searchedRow(resource, row) };
}

function preview(resource: Resource, row: Row): string[] {
  const names = resource.columns.filter((name) => row[name] !== undefined);
  const entries = cardEntries({ resource, localTime: false, columns: names }, row as ShownRow);
  return renderCard(entries, row as ShownRow, { maxItems: 5 })
    .trimEnd()
    .split('\n');
}
