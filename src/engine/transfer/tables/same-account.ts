/** Determines whether an export is of the account in use, because its files don't name the account. */

import { RecordBatch, recordKey } from '../../../account/session/find-by-key.ts';
import { keyFromNames, relateRecords } from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import type { SampleRow, TableIndex } from './table-index.ts';

/** The maximum number of resources whose rows are looked up. */
const maxSampledResources = 3;

/**
 * Returns whether the IDs of an export belong to records of the account with the same keys. Other accounts may have the same
 * IDs. Rows without IDs aren't compared. Throws a usage failure if only a few match.
 */
export async function isExportOfAccount(
  session: Session,
  { samples }: TableIndex,
  label: string,
): Promise<boolean> {
  const sampled = [...samples]
    .filter(([{ get, list }, rows]) => rows.length > 0 && (get ?? list) !== undefined)
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, maxSampledResources);
  const batch = new RecordBatch();
  for (const [resource, rows] of sampled) for (const { id } of rows) batch.idsOf(resource).ids.add(id);
  const records = await batch.read(session);
  let [matchingCount, totalCount] = [0, 0];
  for (const [resource, rows] of sampled) {
    totalCount += rows.length;
    matchingCount += rows.filter((row) =>
      isSameRecord(resource, row, records.get(recordKey(resource, row.id))),
    ).length;
  }
  if (matchingCount * 2 >= totalCount) return true;
  if (matchingCount === 0) return false;
  throw usage(
    `Only ${matchingCount} of ${totalCount} IDs in ${label} exist in this account. The others may be deleted, or of another account.`,
    {
      hint: 'To match records by ID: --match id. To match them by key, as in another account: --match key',
    },
  );
}

function isSameRecord(resource: Resource, { keys }: SampleRow, record: Row | undefined): boolean {
  if (!record) return false;
  const keyNames = resource.key.filter((name) => keys[name] !== undefined);
  const relations = keyFromNames(resource, keyNames).map((field) => relateRecords([field], keys, record));
  return keyNames.length === 0 || relations.includes('same') || relations.includes('folded');
}
