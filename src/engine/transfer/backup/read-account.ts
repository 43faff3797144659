/** Reads the records of one resource for a backup: the whole list, or the changes since the previous backup. */

import {
  canListDeleted,
  isDeleted,
  type ListCall,
  type ListPage,
  listWithDeleted,
  recordsWithDeleted,
} from '../../../account/session/list.ts';
import { startReadingClock } from '../../../account/session/reading-clock.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Api } from '../../../api/contract/api.ts';
import { isStoredByTarget } from '../../../api/contract/dependency-order.ts';
import type { Field, Fields } from '../../../api/contract/field.ts';
import { changedAfterFilter } from '../../../api/contract/filter.ts';
import { includePaths } from '../../../api/contract/include.ts';
import { operation, operations } from '../../../api/contract/operation.ts';
import { isOtherField } from '../../../api/contract/other-fields.ts';
import { isSecretName, redactorOfAll } from '../../../api/contract/redaction.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { filtersSince } from '../../bulk/export/watermark.ts';
import type { BackedUpResource } from './manifest.ts';
import { readRecords } from './read-lines.ts';

export interface ResourceReadOptions {
  session: Session;
  resource: Resource;
  /** The previous backup, if only changes since then are read. */
  previous?: { folder: string; entry: BackedUpResource } | undefined;
  onRows?: ((count: number) => void) | undefined;
}

/** The part of a manifest entry that is known only after all records are read. */
export type ReadSummary = Pick<BackedUpResource, 'records' | 'deleted' | 'until' | 'unseen' | 'read'>;

/** Reads a resource as one line of JSON for each record. Throws if the list can't be read completely. */
export function readResource(options: ResourceReadOptions): {
  chunks: AsyncIterable<string>;
  summary(): ReadSummary;
  /** Returns the relations that the service doesn't return. */
  missing(): ReadonlySet<string>;
} {
  const { session, resource, previous, onRows } = options;
  const { api } = session;
  const fields = neededFields(api, resource);
  const seenFields = new Set<string>();
  const missing = new Set<string>();
  const listCall = (since?: BackedUpResource) =>
    completeListCall(session, resource, (paths) => void paths.map((path) => missing.add(path)), since);
  const clock = startReadingClock(previous?.entry.until ?? undefined);
  let [records, deleted, readCount] = [0, 0, 0];

  const trackPage = ({ rows, date }: ListPage) => {
    readCount += rows.length;
    clock.observe(date, rows);
    for (const row of rows)
      for (const name of fields) if (!seenFields.has(name) && hasField(row, name)) seenFields.add(name);
    onRows?.(rows.length);
  };
  const recordLine = (record: Row) => {
    records++;
    if (isDeleted(record)) deleted++;
    return `${JSON.stringify(record)}\n`;
  };

  async function* allRecords() {
    for await (const rows of recordsWithDeleted(session, listCall(), trackPage))
      yield rows.map((row) => recordLine(storedRecord(api, resource, row))).join('');
  }

  /** Merges changes into the previous backup. Changed records keep their positions, so equal contents give the same file. */
  async function* mergedRecords({ folder, entry }: NonNullable<typeof previous>) {
    const changedRecords = new Map<string, Row>();
    for await (const page of listWithDeleted(session, listCall(entry))) {
      trackPage(page);
      for (const row of page.rows) changedRecords.set(String(row.id), storedRecord(api, resource, row));
    }
    for await (const record of readRecords(folder, entry)) {
      const id = String(record.id);
      yield recordLine(changedRecords.get(id) ?? record);
      changedRecords.delete(id);
    }
    for (const record of changedRecords.values()) yield recordLine(record);
  }

  return {
    chunks: previous ? mergedRecords(previous) : allRecords(),
    summary: () => ({
      records,
      deleted: canListDeleted(resource) ? deleted : null,
      read: previous ? 'changes' : 'complete',
      until: laterTime(previous?.entry.until, clock.startedAt()),
      unseen:
        readCount === 0 ? [] : [...new Set([...fields.filter((name) => !seenFields.has(name)), ...missing])],
    }),
    missing: () => missing,
  };
}

/** Returns the later of two times; null if both are missing. */
function laterTime(a: string | null | undefined, b: string | undefined): string | null {
  return [a, b].reduce<string | null>(
    (latest, time) => (time && (!latest || time > latest) ? time : latest),
    null,
  );
}

/** Returns whether the API can list all changes with deletions. Without these a backup would keep deleted records. */
export function canListChanges(resource: Resource): boolean {
  return canListDeleted(resource) && changedAfterFilter(resource.filters) !== undefined;
}

/**
 * Returns the call that lists a resource with all fields that are needed to write the records again, or calls `onMissing`. With `since` it lists
 * only the changes since that backup.
 */
export function completeListCall(
  session: Session,
  resource: Resource,
  onMissing: (paths: readonly string[]) => void = () => undefined,
  since?: BackedUpResource,
): ListCall {
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} can't be listed, so they can't be backed up.`);
  const filters = since?.until ? filtersSince(resource, since.until) : {};
  return { operation: list, query: { filters, optional: neededIncludes(session.api, resource), onMissing } };
}

/**
 * Returns the resources that can be listed. Resources that refer to others come first, so that the records that they refer to
 * exist when these are listed.
 */
export function backedUpResources(api: Api): Resource[] {
  return api
    .dependencyOrder()
    .map(({ resource }) => resource)
    .filter(({ list }) => list !== undefined)
    .reverse();
}

/**
 * Returns the fields that are needed to write a record again, named as in responses: request fields and links; all fields
 * of a resource that can only be read.
 */
function neededFields(api: Api, resource: Resource): string[] {
  if (!operation(resource, 'create')) return Object.keys(resource.fields);
  const bodies = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  const requestFields = bodies.filter(
    ({ field }) => !field.isHidden && !field.traits.ignored && !isStoredByTarget(api, field),
  );
  const links = operations(resource).flatMap(({ effect, link }) =>
    effect === 'link' && link ? [link.field] : [],
  );
  return [...new Set([...requestFields.map(({ responseName }) => responseName), ...links])];
}

/** Returns the includes for fields that are needed to write a record again. Responses contain these only on request. */
export function neededIncludes(api: Api, resource: Resource): string[] {
  return neededFields(api, resource).flatMap((name) => {
    const field = resource.fields[name];
    return field ? includePaths(name, field) : [];
  });
}

function hasField(record: Row, name: string): boolean {
  return Object.hasOwn(record, name) || Object.hasOwn(record, `${name}_id`);
}

export function storedRecord(api: Api, { fields }: Resource, record: Row): Row {
  return storedFields(api, fields, record);
}

function storedFields(api: Api, fields: Fields, row: Row): Row {
  const otherNames = Object.keys(row).filter(
    (name) => isOtherField(fields, name) && !isSecretName(api, name),
  );
  // Created from entries, because a field may be named `__proto__`.
  const stored: Row = Object.fromEntries(otherNames.map((name) => [name, redactorOfAll(api)(row[name])]));
  for (const [name, field] of Object.entries(fields)) {
    // The other record contains this link. A copy here would become outdated.
    if (field.isHidden || isStoredByTarget(api, field)) continue;
    const idName = `${name}_id`;
    if (Object.hasOwn(row, name)) stored[name] = storedValue(api, field, row[name]);
    // Some services return only the ID of a related record.
    else if (field.kind === 'one' && Object.hasOwn(row, idName))
      stored[name] = row[idName] === null ? null : { id: row[idName] };
  }
  return stored;
}

function storedValue(api: Api, field: Field, value: unknown): unknown {
  if (Array.isArray(value) && (field.kind === 'many' || field.kind === 'objects'))
    return value.map((item) => storedValue(api, field, item));
  if (!isRow(value)) return value;
  const { fields, pivot } = field.traits;
  if (fields) return storedFields(api, fields, value);
  return {
    id: value.id,
    ...nameProperty(api, field, value),
    ...(pivot && isRow(value.pivot) && { pivot: storedFields(api, pivot, value.pivot) }),
  };
}

/** Returns the name of a related record if the API can't list it. Other records are in their own files. */
function nameProperty(api: Api, { traits: { target = '' } }: Field, { name }: Row): Row {
  return api.reference(target)?.isNamed && typeof name === 'string' ? { name } : {};
}
