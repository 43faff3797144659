/** The records of a list to choose from, read page by page as far as they are wanted, and searched in every column. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../base/errors.ts';
import { foldText } from '../base/fold-text.ts';
import type { Row } from '../client/shape.ts';
import { shownWhenAsked } from '../contract/include.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { cardEntries } from '../output/records-for-people.ts';
import { labelOf } from '../output/wording.ts';
import type { Session } from '../session/session.ts';
import { renderCard } from '../terminal/card.ts';
import { numeral } from '../terminal/numeral.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import { isFound, type Searched, searchedRow, searchFilters, wanted as wantedBy } from './search.ts';
import type { Choice, Entries } from './terminal/questions.ts';

export interface Found {
  id: string;
  /** What it is called, for the summary. */
  label: string;
  /** The record, where it was read. */
  record?: Row | undefined;
}

export interface RecordsWanted {
  resource: Resource;
  /** Deleted ones alone: for `restore`. */
  deleted?: boolean | undefined;
  /** Only those that fit: tags are for one kind of record each. */
  only?: { field: string; value: number } | undefined;
  /** What may be chosen in the place of a record, such as "none". */
  first?: readonly Choice<Found | undefined>[] | undefined;
  /** Those that are chosen now: they stand before the others, which need not have been read. */
  pinned?: readonly Found[] | undefined;
  /** Pages that are read for one text before the person is asked to go on. */
  pagesAtOnce?: number | undefined;
  /** What is said where there is none at all; else the list is shown empty. */
  ifNone?: string | undefined;
}

/** Pages that are read for one text before the person is asked to go on: a service allows as few as 30 requests a minute. */
const mostPages = 20;

/** Requests for one text before the list itself is read on. */
const maxSearches = 4;

/** Milliseconds without a key before the service is asked for a text. */
const pause = 250;

/** Milliseconds between drawings of a list that is being read. */
const drawnEvery = 60;

interface Known {
  choice: Choice<Found | undefined>;
  searched: Searched;
}

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
  // A service in this process can be read to its end; one behind the network is read a little at a time.
  const pagesAtOnce =
    session.settings.sandbox === undefined ? (wanted.pagesAtOnce ?? mostPages) : Number.POSITIVE_INFINITY;
  const filters =
    only && resource.filters.some(({ name }) => name === only.field)
      ? { [only.field]: String(only.value) }
      : {};
  const optional = shownWhenAsked(resource, resource.columns);
  const reading =
    list && session.list({ operation: list, query: { filters, optional } }, { deletedOnly: deleted });
  const pages = reading?.pages();
  let isRead = pages === undefined;
  let work: Promise<void> | undefined;
  let problem = '';
  let goal = { typed: '', count: 0 };
  let budget = pagesAtOnce;
  let memo = { typed: '', size: -1, found: [] as readonly Choice<Found | undefined>[] };
  const asked = new Set<string>();

  const tell = (failure?: unknown) => {
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
    const sought = wantedBy(resource, typed);
    const isAll = sought.words.length === 0 && !sought.isWhole;
    const found = known.filter(({ searched }) => isFound(searched, sought)).map(({ choice }) => choice);
    memo = { typed, size: known.length, found: isAll ? [...first, ...found] : found };
    return memo.found;
  };

  const isEnough = () => isRead || matching(goal.typed).length >= goal.count || budget <= 0;

  async function readOn(): Promise<void> {
    let told = performance.now();
    try {
      while (pages && !isEnough()) {
        const { value, done } = await pages.next();
        // A service in this process answers at once: keys that were pressed meanwhile come first.
        await nextTurn();
        budget--;
        problem = '';
        if (done) isRead = true;
        else keep(value.rows);
        if (isRead && known.length === 0 && ifNone !== undefined) {
          return tell(new Failure('not_found', ifNone));
        }
        if (performance.now() - told < drawnEvery) continue;
        told = performance.now();
        tell();
      }
    } catch (error) {
      if (isPassing(error)) problem = error.message;
      isRead ||= !isPassing(error);
      tell(isPassing(error) ? undefined : error);
    } finally {
      work = undefined;
      tell();
    }
  }

  /** What the service itself finds by a word goes before reading everything. */
  async function askFor(typed: string): Promise<void> {
    if (!list || deleted || isRead || typed.trim() === '' || asked.has(typed)) return;
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (goal.typed !== typed || isRead || asked.has(typed) || matching(typed).length >= goal.count) return;
    asked.add(typed);
    for (const { filter, value } of searchFilters(resource, typed).slice(0, maxSearches)) {
      try {
        const query = { filters: { ...filters, [filter.name]: value }, optional };
        const found = session.list({ operation: list, query }, { isFirstPageOnly: true });
        keep(await Array.fromAsync(found.rows()));
        tell();
      } catch {
        // What the list itself says of the service is told; this is only a short cut.
        return;
      }
    }
  }

  const status = (typed: string) => {
    if (problem !== '') return problem;
    const found = matching(typed).length - (typed === '' ? first.length : 0);
    const total = isRead ? known.length : Math.max(reading?.facts().total ?? 0, known.length);
    const whole = deleted || total === 0 ? (isRead ? known.length : undefined) : total;
    if (known.length === 0) return isRead ? 'There is none.' : `Reading ${resource.nouns}…`;
    const of = whole === undefined ? '' : ` of ${numeral(whole)}`;
    if (isRead || typed === '') return `${numeral(found)}${of}`;
    const among = `${numeral(found)} in ${numeral(known.length)}${of}`;
    return work ? `${among}, reading on…` : `${among}; down reads on`;
  };

  return {
    matching,
    status,
    isWhole: () => isRead,
    want: async (typed, count) => {
      if (typed !== goal.typed || count > goal.count) budget = pagesAtOnce;
      goal = { typed, count };
      void askFor(typed);
      if (!isEnough()) work ??= readOn();
      await work;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether the next key may succeed: no connection, or too many requests. */
function isPassing(error: unknown): error is Failure {
  return error instanceof Failure && (error.category === 'unavailable' || error.category === 'rate_limited');
}

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
  return renderCard(entries, row as ShownRow, { mostItems: 5 })
    .trimEnd()
    .split('\n');
}
