/** The records of a list to choose from: read page by page as needed, and searched in every column. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Failure } from '../base/errors.ts';
import { foldText } from '../base/fold-text.ts';
import type { Page } from '../client/answer.ts';
import type { ListQuery } from '../client/request.ts';
import type { Row } from '../client/shape.ts';
import { shownWithInclude } from '../contract/include.ts';
import { type Operation, operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { cardEntries } from '../output/records-for-people.ts';
import { labelOf } from '../output/wording.ts';
import type { Reading } from '../session/list.ts';
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
  return new RecordEntries(session, wanted);
}

/** The records that were read, or were chosen before. */
class KnownRecords {
  readonly #wanted: RecordsWanted;
  readonly #all: Known[];
  readonly #ids: Set<string>;
  #memo = { typed: '', size: -1, found: [] as readonly Choice<Found | undefined>[] };

  constructor(wanted: RecordsWanted) {
    const { resource, pinned = [] } = wanted;
    this.#wanted = wanted;
    this.#ids = new Set(pinned.map(({ id }) => id));
    this.#all = pinned.map((found) => ({
      choice: { value: found, label: found.label, key: found.id },
      searched: found.record
        ? searchedRow(resource, found.record)
        : { text: foldText(found.label), id: foldText(found.id), phone: '', bare: [] },
    }));
  }

  get size(): number {
    return this.#all.length;
  }

  add(rows: readonly Row[]): void {
    const { resource, only } = this.#wanted;
    for (const row of rows) {
      const id = String(row.id);
      const isOther = only && row[only.field] !== undefined && row[only.field] !== only.value;
      if (isOther || this.#ids.has(id)) continue;
      this.#ids.add(id);
      this.#all.push(knownOf(resource, row));
    }
  }

  matching(typed: string): readonly Choice<Found | undefined>[] {
    const { resource, first = [] } = this.#wanted;
    if (this.#memo.typed === typed && this.#memo.size === this.size) return this.#memo.found;
    const terms = searchTerms(resource, typed);
    const isAll = terms.words.length === 0 && !terms.isWhole;
    const found = this.#all.filter(({ searched }) => isFound(searched, terms)).map(({ choice }) => choice);
    this.#memo = { typed, size: this.size, found: isAll ? [...first, ...found] : found };
    return this.#memo.found;
  }
}

class RecordEntries implements Entries<Found | undefined> {
  readonly #session: Session;
  readonly #wanted: RecordsWanted;
  readonly #known: KnownRecords;
  readonly #list: Operation | undefined;
  readonly #query: ListQuery;
  readonly #reading: Reading | undefined;
  readonly #pages: AsyncGenerator<Page> | undefined;
  readonly #pagesPerSearch: number;
  readonly #listeners = new Set<(failure?: unknown) => void>();
  /** The texts for which the service's filters were used. */
  readonly #searchedTexts = new Set<string>();
  #isRead: boolean;
  #work: Promise<void> | undefined;
  /** The message of a temporary failure; empty if there is none. */
  #problem = '';
  #goal = { typed: '', count: 0 };
  #pagesLeft: number;

  constructor(session: Session, wanted: RecordsWanted) {
    const { resource, deleted = false, only } = wanted;
    this.#session = session;
    this.#wanted = wanted;
    this.#known = new KnownRecords(wanted);
    // The embedded sandbox is read to the end; a service on the network only up to a number of pages.
    this.#pagesPerSearch =
      session.settings.sandbox === undefined
        ? (wanted.pagesPerSearch ?? maxPagesPerSearch)
        : Number.POSITIVE_INFINITY;
    this.#pagesLeft = this.#pagesPerSearch;
    const hasFilter = resource.filters.some(({ name }) => name === only?.field);
    this.#query = {
      filters: only && hasFilter ? { [only.field]: String(only.value) } : {},
      optional: shownWithInclude(resource, resource.columns),
    };
    this.#list = operation(resource, 'list');
    this.#reading =
      this.#list && session.list({ operation: this.#list, query: this.#query }, { deletedOnly: deleted });
    this.#pages = this.#reading?.pages();
    this.#isRead = this.#pages === undefined;
  }

  matching(typed: string): readonly Choice<Found | undefined>[] {
    return this.#known.matching(typed);
  }

  status(typed: string): string {
    if (this.#problem !== '') return this.#problem;
    const { resource, deleted = false, first = [] } = this.#wanted;
    const [isRead, known] = [this.#isRead, this.#known.size];
    if (known === 0) return isRead ? `No ${resource.nouns}.` : `Loading ${resource.nouns}…`;
    const found = this.matching(typed).length - (typed === '' ? first.length : 0);
    const total = isRead ? known : Math.max(this.#reading?.facts().total ?? 0, known);
    const of = deleted && !isRead ? '' : ` of ${numeral(total)}`;
    if (isRead || typed === '') return `${numeral(found)}${of}`;
    const among = `${numeral(found)} in ${numeral(known)}${of}`;
    return this.#work ? `${among}, loading more…` : `${among}, press Down to load more`;
  }

  isWhole(): boolean {
    return this.#isRead;
  }

  async want(typed: string, count: number): Promise<void> {
    if (typed !== this.#goal.typed || count > this.#goal.count) this.#pagesLeft = this.#pagesPerSearch;
    this.#goal = { typed, count };
    void this.#searchService(typed);
    if (!this.#isEnough()) this.#work ??= this.#readPages();
    await this.#work;
  }

  onChange(listener: (failure?: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(failure?: unknown): void {
    for (const listener of this.#listeners) listener(failure);
  }

  #hasGoal(): boolean {
    return this.matching(this.#goal.typed).length >= this.#goal.count;
  }

  #isEnough(): boolean {
    return this.#isRead || this.#hasGoal() || this.#pagesLeft <= 0;
  }

  async #readPages(): Promise<void> {
    const { ifNone } = this.#wanted;
    let notifiedAt = performance.now();
    try {
      while (this.#pages && !this.#isEnough()) {
        await this.#readPage(this.#pages);
        if (this.#isRead && this.#known.size === 0 && ifNone !== undefined) {
          return this.#notify(new Failure('not_found', ifNone));
        }
        if (performance.now() - notifiedAt < redrawIntervalMs) continue;
        notifiedAt = performance.now();
        this.#notify();
      }
    } catch (error) {
      if (isTemporary(error)) this.#problem = error.message;
      this.#isRead ||= !isTemporary(error);
      this.#notify(isTemporary(error) ? undefined : error);
    } finally {
      this.#work = undefined;
      this.#notify();
    }
  }

  async #readPage(pages: AsyncGenerator<Page>): Promise<void> {
    const { value, done } = await pages.next();
    // The embedded sandbox never waits, so pressed keys are handled here.
    await nextTurn();
    this.#pagesLeft--;
    this.#problem = '';
    if (done) this.#isRead = true;
    else this.#known.add(value.rows);
  }

  /** Searches with the service's filters, which is faster than reading all pages. */
  async #searchService(typed: string): Promise<void> {
    const { resource, deleted = false } = this.#wanted;
    const list = this.#list;
    const isDone = () => this.#isRead || this.#searchedTexts.has(typed);
    if (!list || deleted || typed.trim() === '' || isDone()) return;
    await new Promise((resolve) => setTimeout(resolve, searchDelayMs));
    if (this.#goal.typed !== typed || isDone() || this.#hasGoal()) return;
    this.#searchedTexts.add(typed);
    for (const { filter, value } of searchFilters(resource, typed).slice(0, maxFilterRequests)) {
      try {
        const query = { ...this.#query, filters: { ...this.#query.filters, [filter.name]: value } };
        const found = this.#session.list({ operation: list, query }, { isFirstPageOnly: true });
        this.#known.add(await Array.fromAsync(found.rows()));
        this.#notify();
      } catch {
        // Reading the pages reports the failure; this search is only a shortcut.
        return;
      }
    }
  }
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
