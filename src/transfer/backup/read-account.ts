/** Reads the records of one resource for a backup: the whole list, or the changes since the previous backup. */

import { usage } from '../../base/errors.ts';
import { filtersSince } from '../../bulk/export/watermark.ts';
import type { Api } from '../../contract/api.ts';
import { isStoredByTarget } from '../../contract/dependency-order.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { changedAfterFilter } from '../../contract/filter.ts';
import { includePaths } from '../../contract/include.ts';
import { operation, operations } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import {
  isDeleted,
  type ListCall,
  type ListPage,
  listWithDeleted,
  recordsWithDeleted,
  showsDeleted,
} from '../../session/list.ts';
import { readingClock } from '../../session/reading-clock.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { BackedUp } from './manifest.ts';
import { readRecords } from './read-lines.ts';

/** What to read. */
export interface ResourceReading {
  session: Session;
  resource: Resource;
  /** The previous backup, if only changes since then are read. */
  before?: { folder: string; entry: BackedUp } | undefined;
  onRows?: ((count: number) => void) | undefined;
}

/** The facts that are known once all lines are read. */
export type ReadFacts = Pick<BackedUp, 'records' | 'deleted' | 'until' | 'unseen' | 'read'>;

/** Yields a line of JSON per record. Throws if the list can't be read completely. */
export function readResource(reading: ResourceReading): {
  texts: AsyncIterable<string>;
  facts(): ReadFacts;
} {
  const { session, resource, before, onRows } = reading;
  const { api } = session;
  const fields = neededFields(api, resource);
  const seen = new Set<string>();
  const clock = readingClock(before?.entry.until ?? undefined);
  let [records, deleted, read] = [0, 0, 0];

  const note = ({ rows, date }: ListPage) => {
    read += rows.length;
    clock.observe(date, rows);
    for (const row of rows)
      for (const name of fields) if (!seen.has(name) && shows(row, name)) seen.add(name);
    onRows?.(rows.length);
  };
  const line = (record: Row) => {
    records++;
    if (isDeleted(record)) deleted++;
    return `${JSON.stringify(record)}\n`;
  };

  async function* whole() {
    for await (const rows of recordsWithDeleted(session, everyRecord(session, resource), note))
      yield rows.map((row) => line(keptRecord(api, resource, row))).join('');
  }

  /** Merges changes into the previous backup: changed records keep their positions, so unchanged content gives the same file. */
  async function* merged({ folder, entry }: NonNullable<typeof before>) {
    const changed = new Map<string, Row>();
    for await (const page of listWithDeleted(session, everyRecord(session, resource, entry))) {
      note(page);
      for (const row of page.rows) changed.set(String(row.id), keptRecord(api, resource, row));
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
      deleted: showsDeleted(resource) ? deleted : null,
      read: before ? 'changes' : 'whole',
      until: later(before?.entry.until, clock.startedAt()),
      unseen: read === 0 ? [] : fields.filter((name) => !seen.has(name)),
    }),
  };
}

function later(one: string | null | undefined, other: string | undefined): string | null {
  return [one, other].reduce<string | null>((last, at) => (at && (!last || at > last) ? at : last), null);
}

/** Returns whether the API can list changes including all deletions: otherwise deleted records would remain. */
export function knowsChanges(resource: Resource): boolean {
  return showsDeleted(resource) && changedAfterFilter(resource.filters) !== undefined;
}

/** Returns the call that lists a resource with everything that writing its records again needs; since a backup, what changed. */
export function everyRecord(session: Session, resource: Resource, since?: BackedUp): ListCall {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} can't be listed, so they can't be backed up.`);
  const filters = since?.until ? filtersSince(resource, since.until) : {};
  return { operation: list, query: { filters, optional: neededIncludes(session.api, resource) } };
}

/** Returns the resources that can be listed, referencing ones first: what they reference exists when its list is read. */
export function backedUpResources(api: Api): Resource[] {
  return api
    .dependencyOrder()
    .map(({ resource }) => resource)
    .filter(({ list }) => list !== undefined)
    .reverse();
}

/** Returns the fields that are needed to write the record again, named as in responses: request fields, and links. */
function neededFields(api: Api, resource: Resource): string[] {
  const bodies = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  const written = bodies.filter(
    ({ field }) => !field.isHidden && !field.traits.ignored && !isStoredByTarget(api, field),
  );
  const links = operations(resource).flatMap(({ effect, link }) =>
    effect === 'link' && link ? [link.field] : [],
  );
  return [...new Set([...written.map(({ responseName }) => responseName), ...links])];
}

/** Returns those of them that a response includes only on request. */
export function neededIncludes(api: Api, resource: Resource): string[] {
  return neededFields(api, resource).flatMap((name) => {
    const field = resource.fields[name];
    return field ? includePaths(name, field) : [];
  });
}

/** Returns whether a record includes a field. */
function shows(record: Row, name: string): boolean {
  return Object.hasOwn(record, name) || Object.hasOwn(record, `${name}_id`);
}

/** Returns a record as a backup stores it. */
export function keptRecord(api: Api, { fields }: Resource, record: Row): Row {
  return keptFields(api, fields, record);
}

function keptFields(api: Api, fields: Fields, row: Row): Row {
  const kept: Row = {};
  for (const [name, field] of Object.entries(fields)) {
    // The other record stores this link; a copy here would become outdated.
    if (field.isHidden || isStoredByTarget(api, field)) continue;
    const byId = `${name}_id`;
    if (Object.hasOwn(row, name)) kept[name] = keptValue(api, field, row[name]);
    // Some services show a relation to one record only by its id.
    else if (field.kind === 'one' && Object.hasOwn(row, byId))
      kept[name] = row[byId] === null ? null : { id: row[byId] };
  }
  return kept;
}

function keptValue(api: Api, field: Field, value: unknown): unknown {
  if (Array.isArray(value) && (field.kind === 'many' || field.kind === 'objects'))
    return value.map((item) => keptValue(api, field, item));
  if (!isRow(value)) return value;
  const { fields, pivot } = field.traits;
  if (fields) return keptFields(api, fields, value);
  return {
    id: value.id,
    ...nameOf(api, field, value),
    ...(pivot && isRow(value.pivot) && { pivot: keptFields(api, pivot, value.pivot) }),
  };
}

/** Returns the name alone for records that the API can't list; others have a file of their own. */
function nameOf(api: Api, { traits: { target = '' } }: Field, { name }: Row): Row {
  return api.reference(target)?.isNamed && typeof name === 'string' ? { name } : {};
}
