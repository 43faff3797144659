/** Reads the records that the token may read by ID, to show names next to IDs. Failures are ignored. */
import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { findRecords } from './find-records.ts';
import type { Row } from './row.ts';
import type { Session } from './session.ts';

/**
 * Returns the records that the token may read, by ID. The map is empty if the list has no filter for IDs. Throws only if
 * the command is interrupted.
 */
export async function findReadableRecords(
  session: Session,
  resource: Resource,
  ids: readonly string[],
): Promise<Map<string, Row>> {
  const list = operation(resource, 'list');
  const records = new Map<string, Row>();
  if (!list || !resource.filters.some(({ name }) => name === 'id')) return records;
  const idSet = new Set(ids);
  try {
    await session.permissions.checkPermission({ operation: list });
    for await (const rows of findRecords(session, { resource, searches: [{ by: 'id', values: idSet }] }))
      for (const row of rows) if (idSet.has(String(row.id))) records.set(String(row.id), row);
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
  }
  return records;
}
