/** The records of one resource for a backup: the whole list, or the backup before with what has changed since. */

import type { Api } from '../../contract/api.ts';
import { changedAfter, deletedToo } from '../../contract/filter.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import { isDeleted, type Reading } from '../../session/list.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { filtersSince, seenUntil, stopwatch } from '../export/watermark.ts';
import { keptRecord, neededFields, neededIncludes, shows } from './kept-record.ts';
import type { BackedUp } from './manifest.ts';
import { readRecords } from './read-lines.ts';

export interface ResourceReading {
  session: Session;
  resource: Resource;
  /** The backup before, where only what has changed since is asked for. */
  before?: { folder: string; entry: BackedUp } | undefined;
  onRows?: ((count: number) => void) | undefined;
}

/** Known once the texts are read. */
export type ReadFacts = Pick<BackedUp, 'records' | 'deleted' | 'until' | 'unseen' | 'read'>;

/** A line of JSON for each record. Throws where the list can’t be read whole. */
export function readResource(reading: ResourceReading): {
  texts: AsyncIterable<string>;
  facts(): ReadFacts;
} {
  const { session, resource, before, onRows } = reading;
  const { api } = session;
  const hasDeleted = deletedToo(resource.filters) !== undefined;
  const fields = neededFields(api, resource);
  const seen = new Set<string>();
  const took = stopwatch();
  let [records, deleted, read] = [0, 0, 0];
  let lastChange: string | undefined;

  const note = (rows: readonly Row[]) => {
    read += rows.length;
    for (const row of rows) {
      for (const name of fields) if (!seen.has(name) && shows(row, name)) seen.add(name);
      if (typeof row.updated_at === 'string' && (lastChange === undefined || row.updated_at > lastChange))
        lastChange = row.updated_at;
    }
    onRows?.(rows.length);
  };
  const line = (record: Row) => {
    records++;
    if (isDeleted(record)) deleted++;
    return `${JSON.stringify(record)}\n`;
  };

  async function* whole() {
    const lists = readings(session, resource);
    // Of two lists the second holds what was deleted while the first was read: the next backup takes that up.
    const ids = lists.length > 1 ? new Set<unknown>() : undefined;
    for (const list of lists) {
      for await (const rows of list.batches()) {
        note(rows);
        const fresh = ids ? rows.filter(({ id }) => !ids.has(id) && ids.add(id)) : rows;
        yield fresh.map((row) => line(keptRecord(api, resource, row))).join('');
      }
    }
  }

  /** Records that have changed keep their places, new ones come last: what stays the same is the same file. */
  async function* merged({ folder, entry }: NonNullable<typeof before>) {
    const changed = new Map<string, Row>();
    for (const list of readings(session, resource, entry)) {
      for await (const rows of list.batches()) {
        note(rows);
        for (const row of rows) changed.set(String(row.id), keptRecord(api, resource, row));
      }
    }
    for await (const record of readRecords(folder, entry)) {
      const id = String(record.id);
      yield line(changed.get(id) ?? record);
      changed.delete(id);
    }
    for (const record of changed.values()) yield line(record);
  }

  return {
    texts: before ? merged(before) : whole(),
    facts: () => ({
      records,
      deleted: hasDeleted ? deleted : null,
      read: before ? 'changes' : 'whole',
      until: later(before?.entry.until, seenUntil(lastChange, took())),
      unseen: read === 0 ? [] : fields.filter((name) => !seen.has(name)),
    }),
  };
}

function later(one: string | null | undefined, other: string | undefined): string | null {
  return [one, other].reduce<string | null>((last, at) => (at && (!last || at > last) ? at : last), null);
}

/** Whether it can be asked what has changed, with all that was deleted: else a record that is gone would stay. */
export function knowsChanges({ filters }: Resource): boolean {
  return deletedToo(filters) !== undefined && changedAfter(filters) !== undefined;
}

/** What has to be read to see every record of a list, deleted ones among them, with all that writing it again needs. */
export function readings(session: Session, resource: Resource, since?: BackedUp): Reading[] {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} can’t be listed, and so not backed up.`);
  const { api, settings } = session;
  const mark = since?.until
    ? { resource: resource.name, place: '', filters: {}, until: since.until }
    : undefined;
  const filters = mark ? filtersSince(resource, mark) : {};
  const optional = neededIncludes(api, resource);
  const read = (all: Record<string, string>) =>
    session.list({ operation: list, query: { filters: all, optional } }, { isWanted: true });
  const readingOf = (more: Record<string, string>) => read({ ...filters, ...more });
  const deleted = deletedToo(resource.filters);
  if (!deleted) return [readingOf({})];
  const withDeleted = readingOf({ [deleted.name]: 'true' });
  if (settings.wire.deletedFilter !== 'only') return [withDeleted];
  // Such a service shows the deleted ones by themselves.
  const { [deleted.name]: _, ...active } = filters;
  return [read(active), withDeleted];
}

/** Those that can be listed, first those that point at others: what they point at is there when its list is read. */
export function backedUpResources(api: Api): Resource[] {
  return api
    .dependencyOrder()
    .map(({ resource }) => resource)
    .filter(({ list }) => list !== undefined)
    .reverse();
}
