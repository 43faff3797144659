/**
 * One resource brought up to date. The first time its list is read whole, later what has changed since, and again until
 * a reading shows no change that was made while it went on. Where that comes from stands in the mirror with the rows.
 */
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isDeleted } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Mirrored } from '../schema/derive.ts';
import type { State } from '../schema/state.ts';
import { idColumn, otherColumn, walkColumn } from '../schema/table.ts';
import type { Store } from '../stores/store.ts';
import { askedSince, type Beginning, beginning } from './clock.ts';
import { changesOf, demandIds, removalOf } from './page-changes.ts';
import { keepState } from './states.ts';

export interface ResourceSync {
  session: Session;
  store: Store;
  mirrored: Mirrored;
  state: State;
  /** The whole list is read, though it was before: what isn’t there any more goes. */
  isFull: boolean;
  /** As `RESOURCE/ID`: these aren’t held. */
  forgotten: ReadonlySet<string>;
  /** The machine’s time, in UTC. */
  now(): string;
  /** Told of each page. */
  onRecords?: ((count: number) => void) | undefined;
}

export interface Synced {
  /** Records that were read, those that came again among them. */
  read: number;
  /** Rows that went because the service doesn’t show the records any more. */
  removed: number;
  isWhole: boolean;
  /** Fields that the contract doesn’t know, and that are kept beside. */
  unknown: readonly string[];
}

/** Changes that go on and on are left for the next sync: they are as near to it as to this one. */
const mostReadings = 10;

const mostRemoved = 500;

export async function syncResource(sync: ResourceSync): Promise<Synced> {
  const { store, mirrored } = sync;
  const { resource } = mirrored;
  const startedAt = sync.now();
  const tally = { read: 0, removed: 0, unknown: new Set<string>() };
  let state = sync.state;
  const isKnown = state.since !== undefined && !store.outgrown.has(resource.name);
  const isWhole = sync.isFull || !isKnown || !canAskSince(resource);

  const keep = async (changes: Partial<State>) => {
    state = { ...state, ...changes };
    await store.write([keepState(state)]);
  };

  const read = async (since: string | undefined): Promise<Beginning> => {
    const reading = beginning();
    for await (const { date, rows } of passes(sync, since, state.deletedFilter, () => {
      state = { ...state, deletedFilter: 'include' };
    })) {
      reading.see(date, rows);
      demandIds(mirrored, rows);
      const held = rows.filter(({ id }) => !sync.forgotten.has(`${resource.name}/${id}`));
      tally.read += rows.length;
      // What is not done yet is not counted as done: only the number of the reading moves on with its first rows.
      await store.write([...changesOf(mirrored, held, state.walk), keepState(state)]);
      noteUnknown(mirrored, held, tally.unknown);
      sync.onRecords?.(tally.read);
    }
    return reading;
  };

  let since = isKnown ? state.since : undefined;
  let isQuiet = false;
  if (isWhole) {
    state = { ...state, walk: state.walk + 1, since: undefined };
    const reading = await read(undefined);
    tally.removed = await removeUnseen(sync, state.walk);
    since = reading.at() ?? since;
    await keep({ since, fullAt: startedAt, syncedAt: startedAt, lastError: undefined });
    isQuiet = !canAskSince(resource) || since === undefined;
  }
  for (let count = 0; !isQuiet && since !== undefined && count < mostReadings; count++) {
    const reading = await read(since);
    isQuiet = !reading.hasChanged();
    since = [since, reading.at() ?? since].sort().at(-1);
    await keep({ since, syncedAt: startedAt, lastError: undefined });
  }
  return { ...tally, isWhole, unknown: [...tally.unknown].sort() };
}

/** Whether the list can be asked for what has changed since a moment, and records tell when they did. */
export function canAskSince(resource: Resource): boolean {
  return hasFilter(resource, 'updated_after') && Object.hasOwn(resource.fields, 'updated_at');
}

/** Whether the list shows deleted records, and they can be told from others. */
export function showsDeleted(resource: Resource): boolean {
  return hasFilter(resource, 'is_deleted') && Object.hasOwn(resource.fields, 'deleted_at');
}

function hasFilter({ filters }: Resource, name: string): boolean {
  return filters.some((filter) => filter.name === name);
}

/**
 * Deleted records in a pass of their own, the first. Some services show the active ones with them: that is everything
 * then. Where it shows none, the active ones are asked for as well.
 */
async function* passes(
  { session, mirrored }: ResourceSync,
  since: string | undefined,
  known: State['deletedFilter'],
  learnThatAll: () => void,
): AsyncGenerator<{ date?: string | undefined; rows: readonly Row[] }> {
  const { resource, includes } = mirrored;
  const list = operation(resource, 'list');
  if (!list) return;
  const changed = since === undefined ? {} : { updated_after: askedSince(since) };
  const pages = (filters: Record<string, string>) =>
    session
      .list({ operation: list, query: { filters, optional: [...includes] } }, { isWanted: true })
      .pages();
  let isAll = false;
  if (showsDeleted(resource)) {
    isAll = known === 'include';
    for await (const { date, rows } of pages({ ...changed, is_deleted: 'true' })) {
      if (!isAll && rows.some((row) => !isDeleted(row))) {
        isAll = true;
        learnThatAll();
      }
      yield { date, rows };
    }
  }
  if (!isAll) yield* pages(changed);
}

/** What a whole reading has not shown isn’t there any more. Answers how many went. */
async function removeUnseen({ store, mirrored }: ResourceSync, walk: number): Promise<number> {
  const unseen = store.queries
    .selectFrom(mirrored.main.name)
    .select(idColumn)
    .where(({ eb, or }) => or([eb(walkColumn, '<', walk), eb(walkColumn, 'is', null)]))
    .limit(mostRemoved);
  for (let removed = 0; ; ) {
    const ids = (await store.read(unseen)).map((row) => String(row[idColumn]));
    if (ids.length === 0) return removed;
    await store.write(removalOf(mirrored, ids));
    removed += ids.length;
  }
}

function noteUnknown({ resource, main }: Mirrored, records: readonly Row[], unknown: Set<string>): void {
  const known = knownNames(
    resource,
    main.columns.map(({ name }) => name),
  );
  for (const record of records) for (const name in record) if (!known.has(name)) unknown.add(name);
}

const namesKnown = new WeakMap<Resource, Set<string>>();

function knownNames(resource: Resource, columns: readonly string[]): Set<string> {
  const known = namesKnown.get(resource) ?? new Set([...Object.keys(resource.fields), ...columns, 'pivot']);
  known.delete(otherColumn);
  namesKnown.set(resource, known);
  return known;
}
