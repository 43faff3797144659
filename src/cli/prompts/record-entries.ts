/** Provides records as entries of a prompt. Pages are read as needed, and every column is searched. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ListQuery } from '../../account/client/request.ts';
import type { ListPage } from '../../account/client/response.ts';
import type { Row } from '../../account/client/shape.ts';
import { isRefusedList, type ListReading } from '../../account/session/list.ts';
import type { Session } from '../../account/session/session.ts';
import { fieldsToInclude } from '../../api/contract/include.ts';
import { type Operation, requireOperation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure } from '../../base/errors.ts';
import { foldText } from '../../base/fold-text.ts';
import { formatCount } from '../../base/shown-items.ts';
import { type LocalQuery, localQueryIn } from '../output/local-query.ts';
import { createCardEntries } from '../output/records-for-people.ts';
import { labelOf } from '../output/wording.ts';
import { renderCard } from '../terminal/card.ts';
import type { ShownRow } from '../terminal/value-at.ts';
import { isMatch, parseSearchTerms, type SearchableText, searchableTextOf, searchFilters } from './search.ts';
import type { Choice, Entries } from './terminal/questions.ts';

export interface NamedRecord {
  id: string;
  /** The name of the record on the screen. */
  label: string;
  /** The record, if it was read. */
  record?: Row | undefined;
}

/** The content of a question about records before it is answered. */
export interface RecordsDraft {
  records?: readonly NamedRecord[];
  /** The texts of the sheet by ID. */
  texts?: ReadonlyMap<string, string>;
}

export interface RecordEntriesOptions {
  resource: Resource;
  /** Whether only deleted records can be chosen, for `restore`. */
  deleted?: boolean | undefined;
  /** Only records with this value: a tag, for example, is for one kind of record. */
  valueFilter?: { field: string; value: number } | undefined;
  /** Entries before the records, such as "(none)". */
  leading?: readonly Choice<NamedRecord | undefined>[] | undefined;
  /** The chosen records, which are listed first. They may have only an ID and a label. */
  pinned?: readonly NamedRecord[] | undefined;
  /** The maximum number of pages that are read for one search text until the user asks for more. */
  pagesPerSearch?: number | undefined;
  /** The message of the failure if there are no records. If undefined, the prompt has an empty list. */
  emptyMessage?: string | undefined;
}

/** The default of `pagesPerSearch`: some services allow only 30 requests per minute. */
const maxPagesPerSearch = 20;

/** The maximum number of filtered requests for one search text. */
const maxFilterRequests = 4;

/** The time after the last key before the service is searched. */
const searchDelayMs = 250;

/** Time between two redraws of a list that is loading. */
const redrawIntervalMs = 60;

interface SearchableRecord {
  choice: Choice<NamedRecord | undefined>;
  texts: SearchableText;
}

/** The records of a resource as entries of a list. Pages are read only when `load` is called. */
export class RecordEntries implements Entries<NamedRecord | undefined> {
  readonly #session: Session;
  readonly #options: RecordEntriesOptions;
  /** The records that were read, after those that were chosen before. */
  readonly #records: SearchableRecord[];
  readonly #ids: Set<string>;
  readonly #list: Operation;
  readonly #query: ListQuery;
  readonly #listReading: ListReading;
  readonly #pages: AsyncGenerator<ListPage>;
  readonly #pagesPerSearch: number;
  readonly #listeners = new Set<(failure?: unknown) => void>();
  /** The search texts for which the service's filters were used. */
  readonly #searchedTexts = new Set<string>();
  #lastSearch = { searchText: '', size: -1, matches: [] as readonly Choice<NamedRecord | undefined>[] };
  #isReadToEnd = false;
  #pendingRead: Promise<void> | undefined;
  /** The message of a temporary failure; empty if there is none. */
  #problem = '';
  #goal = { searchText: '', count: 0 };
  #remainingPages: number;

  constructor(session: Session, options: RecordEntriesOptions) {
    const { resource, deleted = false, valueFilter, pinned = [] } = options;
    this.#session = session;
    this.#options = options;
    this.#ids = new Set(pinned.map(({ id }) => id));
    this.#records = pinned.map((record) => ({
      choice: { value: record, label: record.label, key: record.id },
      texts: record.record
        ? searchableTextOf(resource, record.record)
        : { text: foldText(record.label), id: foldText(record.id), phone: '', nationalNumbers: [] },
    }));
    // The embedded sandbox is read completely. A service on the network is read up to a number of pages.
    this.#pagesPerSearch =
      session.settings.sandbox === undefined
        ? (options.pagesPerSearch ?? maxPagesPerSearch)
        : Number.POSITIVE_INFINITY;
    this.#remainingPages = this.#pagesPerSearch;
    const hasFilter = resource.filters.some(({ name }) => name === valueFilter?.field);
    this.#query = {
      filters: valueFilter && hasFilter ? { [valueFilter.field]: String(valueFilter.value) } : {},
      optional: fieldsToInclude(resource, resource.columns),
    };
    this.#list = requireOperation(resource, 'list');
    this.#listReading = session.list({ operation: this.#list, query: this.#query }, { deletedOnly: deleted });
    this.#pages = this.#listReading.pages();
  }

  findMatches(searchText: string): readonly Choice<NamedRecord | undefined>[] {
    const { resource, leading = [] } = this.#options;
    const size = this.#records.length;
    if (this.#lastSearch.searchText === searchText && this.#lastSearch.size === size)
      return this.#lastSearch.matches;
    const terms = parseSearchTerms(resource, searchText);
    const local = localQueryIn(resource, searchText, new Date());
    const found = local
      ? this.#applyQuery(local)
      : this.#records.filter(({ texts }) => isMatch(texts, terms)).map(({ choice }) => choice);
    const isEmptySearch = terms.words.length === 0 && !terms.isPhone;
    const matches = isEmptySearch ? [...leading, ...found] : found;
    this.#lastSearch = { searchText, size, matches };
    return matches;
  }

  #applyQuery({ apply }: LocalQuery): Choice<NamedRecord | undefined>[] {
    const choices = new Map(
      this.#records.flatMap(({ choice }) =>
        choice.value?.record ? [[choice.value.record, choice] as const] : [],
      ),
    );
    return apply([...choices.keys()]).flatMap((row) => choices.get(row) ?? []);
  }

  status(searchText: string): string {
    if (this.#problem !== '') return this.#problem;
    const { resource, deleted = false, leading = [] } = this.#options;
    const [isReadToEnd, loaded] = [this.#isReadToEnd, this.#records.length];
    if (loaded === 0) return isReadToEnd ? `No ${resource.nouns}.` : `Loading ${resource.nouns}…`;
    const matchCount = this.findMatches(searchText).length - (searchText === '' ? leading.length : 0);
    const total = isReadToEnd ? loaded : Math.max(this.#listReading.summary().total ?? 0, loaded);
    const ofTotal = deleted && !isReadToEnd ? '' : ` of ${formatCount(total)}`;
    if (isReadToEnd || searchText === '') return `${formatCount(matchCount)}${ofTotal}`;
    const progress = `${formatCount(matchCount)} in ${formatCount(loaded)}${ofTotal}`;
    return this.#pendingRead ? `${progress}, loading more…` : `${progress} · Down to load more`;
  }

  isComplete(): boolean {
    return this.#isReadToEnd;
  }

  async load(searchText: string, count: number): Promise<void> {
    if (searchText !== this.#goal.searchText || count > this.#goal.count)
      this.#remainingPages = this.#pagesPerSearch;
    this.#goal = { searchText, count };
    void this.#searchService(searchText);
    if (!this.#isDone()) this.#pendingRead ??= this.#readPages();
    await this.#pendingRead;
  }

  onChange(listener: (failure?: unknown) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify(failure?: unknown): void {
    for (const listener of this.#listeners) listener(failure);
  }

  #hasEnoughMatches(): boolean {
    const { searchText, count } = this.#goal;
    // The first rows of an order are known when all are read.
    const isOrder = localQueryIn(this.#options.resource, searchText, new Date())?.sorts === true;
    return !isOrder && this.findMatches(searchText).length >= count;
  }

  #isDone(): boolean {
    return this.#isReadToEnd || this.#hasEnoughMatches() || this.#remainingPages <= 0;
  }

  async #readPages(): Promise<void> {
    const { emptyMessage } = this.#options;
    let lastNotifiedMs = performance.now();
    try {
      while (!this.#isDone()) {
        await this.#readPage();
        if (this.#isReadToEnd && this.#records.length === 0 && emptyMessage !== undefined) {
          return this.#notify(new Failure('not_found', emptyMessage));
        }
        if (performance.now() - lastNotifiedMs < redrawIntervalMs) continue;
        lastNotifiedMs = performance.now();
        this.#notify();
      }
    } catch (error) {
      if (isTemporary(error)) this.#problem = error.message;
      this.#isReadToEnd ||= !isTemporary(error);
      this.#notify(isTemporary(error) ? undefined : error);
    } finally {
      this.#pendingRead = undefined;
      this.#notify();
    }
  }

  async #readPage(): Promise<void> {
    const { value, done } = await this.#pages.next();
    // The embedded sandbox never waits: without this pause, pressed keys wouldn't be handled.
    await nextTurn();
    this.#remainingPages--;
    this.#problem = '';
    if (done) this.#isReadToEnd = true;
    else this.#add(value.rows);
  }

  #add(rows: readonly Row[]): void {
    const { resource, valueFilter } = this.#options;
    for (const row of rows) {
      const id = String(row.id);
      const isExcluded =
        valueFilter && row[valueFilter.field] !== undefined && row[valueFilter.field] !== valueFilter.value;
      if (isExcluded || this.#ids.has(id)) continue;
      this.#ids.add(id);
      this.#records.push({ choice: recordChoice(resource, row), texts: searchableTextOf(resource, row) });
    }
  }

  /** Searches with the service's filters, which is faster than reading all pages. */
  async #searchService(searchText: string): Promise<void> {
    const { resource, deleted = false } = this.#options;
    const isUnnecessary = () => this.#isReadToEnd || this.#searchedTexts.has(searchText);
    if (deleted || searchText.trim() === '' || isUnnecessary()) return;
    if (localQueryIn(resource, searchText, new Date())) return;
    await new Promise((resolve) => setTimeout(resolve, searchDelayMs));
    if (this.#goal.searchText !== searchText || isUnnecessary() || this.#hasEnoughMatches()) return;
    this.#searchedTexts.add(searchText);
    for (const { filter, value } of searchFilters(resource, searchText).slice(0, maxFilterRequests)) {
      try {
        const query = { ...this.#query, filters: { ...this.#query.filters, [filter.name]: value } };
        const matches = this.#session.list({ operation: this.#list, query }, { isFirstPageOnly: true });
        this.#add(await Array.fromAsync(matches.rows()));
        this.#notify();
      } catch (error) {
        // This search is only a shortcut. If the service is unavailable, reading the pages reports it.
        if (!isRefusedList(error)) return;
      }
    }
  }
}

/** Returns whether a later request may succeed after a failure: no connection, or too many requests. */
function isTemporary(error: unknown): error is Failure {
  return error instanceof Failure && (error.category === 'unavailable' || error.category === 'rate_limited');
}

export function namedRecordOf(resource: Resource, row: Row): NamedRecord {
  return { id: String(row.id), label: labelOf(resource, row), record: row };
}

export function recordChoice(resource: Resource, row: Row): Choice<NamedRecord> {
  const record = namedRecordOf(resource, row);
  return {
    value: record,
    label: record.label,
    key: record.id,
    description: `ID ${record.id}`,
    preview: () => previewLines(resource, row),
  };
}

function previewLines(resource: Resource, row: Row): string[] {
  const names = resource.columns.filter((name) => row[name] !== undefined);
  const entries = createCardEntries({ resource, columns: names }, row as ShownRow);
  return renderCard(entries, row as ShownRow, { maxItems: 5 })
    .trimEnd()
    .split('\n');
}
