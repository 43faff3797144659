/** Finds out whether an export is of the account in use: a file of an export doesn't name its account. */
import { usage } from '../../base/errors.ts';
import { keyForm } from '../../contract/key-form.ts';
import type { Resource } from '../../contract/resource.ts';
import { findRecords } from '../../session/find-records.ts';
import { keyText } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { SampleRow, TableIndex } from './table-index.ts';

/** Resources of which rows are looked up. */
const maxSampledResources = 3;

/**
 * Returns whether the ids are of records of the account that have the same keys. Other accounts may have the same ids. Rows
 * without ids can be of any account. Throws a usage failure if only some are.
 */
export async function isOfAccount(
  session: Session,
  { samples }: TableIndex,
  called: string,
): Promise<boolean> {
  const sampled = [...samples]
    .filter(([{ get, list }, rows]) => rows.length > 0 && (get ?? list) !== undefined)
    .sort(([, one], [, other]) => other.length - one.length)
    .slice(0, maxSampledResources);
  let [same, all] = [0, 0];
  for (const [resource, rows] of sampled) {
    const records = await recordsWith(session, resource, rows);
    all += rows.length;
    same += rows.filter((row) => isSameRecord(resource, row, records.get(row.id))).length;
  }
  if (same * 2 >= all) return true;
  if (same === 0) return false;
  throw usage(
    `Of ${all} IDs in ${called}, ${same} are of this account. It is unclear whether the others were deleted or are of another account.`,
    {
      hint: 'To match records by ID: --match id. To match them by key, as in another account: --match key',
    },
  );
}

async function recordsWith(
  session: Session,
  resource: Resource,
  rows: readonly SampleRow[],
): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>();
  for (const deletedOnly of resource.restore ? [false, true] : [false]) {
    const values = rows.map(({ id }) => id).filter((id) => !found.has(id));
    const asked = { resource, asks: [{ by: 'id', values }], deletedOnly };
    for await (const records of values.length > 0 ? findRecords(session, asked) : [])
      for (const record of records) found.set(String(record.id), record);
  }
  return found;
}

function isSameRecord(resource: Resource, { keys }: SampleRow, record: Row | undefined): boolean {
  if (!record) return false;
  const shown = resource.key.filter((name) => keys[name] !== undefined);
  const formOf = (row: Row, name: string) => {
    const field = resource.fields[name];
    const text = keyText(row, { shown: name, field });
    return text === undefined ? '' : keyForm(field, text);
  };
  return shown.length === 0 || shown.some((name) => formOf(keys, name) === formOf(record, name));
}
