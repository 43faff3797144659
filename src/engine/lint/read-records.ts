/** Reads the records that rules need from the account, each list once, with the relations that the rules read. */

import { isRefusedList } from '../../account/session/list.ts';
import { MissingFields } from '../../account/session/missing-fields.ts';
import type { Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { fieldsToInclude } from '../../api/contract/include.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import type { Failure } from '../../base/errors.ts';

/** Records by the API's name of their resource, and the resources that could not be listed. */
export interface RuleRecords {
  rows: Map<string, readonly Row[]>;
  /** The resources that could not be listed, or that the source doesn't have. */
  missing: Resource[];
  /** The reasons of the service, other than missing scopes. */
  reasons?: readonly string[];
  /** A sentence about fields that the service doesn't return, so that rules find nothing in them. */
  missingFields?: string | undefined;
}

/** Reads the lists. Throws if none of them can be listed. */
export async function readRecords(
  session: Session,
  reads: ReadonlyMap<Resource, ReadonlySet<string>>,
): Promise<RuleRecords> {
  const rows = new Map<string, readonly Row[]>();
  const missing: Resource[] = [];
  const reasons: string[] = [];
  const missingFields = new MissingFields();
  let refusal: Failure | undefined;
  for (const [resource, fields] of reads) {
    const list = operation(resource, 'list');
    if (!list) continue;
    const query = { optional: fieldsToInclude(resource, fields), onMissing: missingFields.of(resource) };
    const records: Row[] = [];
    try {
      for await (const batch of session.list({ operation: list, query }, { readsAll: true }).batches())
        for (const row of batch) records.push(selectFields(row, resource, fields));
      rows.set(resource.name, records);
    } catch (error) {
      if (!isRefusedList(error)) throw error;
      refusal ??= error;
      missing.push(resource);
      if (error.category !== 'not_allowed') reasons.push(`${resource.command}: ${error.message}`);
    }
  }
  if (refusal && rows.size === 0) throw refusal;
  return { rows, missing, reasons, missingFields: missingFields.describe() };
}

/** Returns a record with only its name, its key and the fields that the rules read, to save memory. */
export function selectFields(row: Row, { title, key }: Resource, fields: ReadonlySet<string>): Row {
  const needed: Row = { id: row.id };
  for (const name of ['created_at', ...(title === undefined ? [] : [title]), ...key, ...fields])
    if (row[name] !== undefined) needed[name] = row[name];
  return needed;
}
