/** The records of an account that is open, for a transfer into another one. */
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import { findRecords } from '../../session/find-records.ts';
import { recordsWithDeleted } from '../../session/list-with-deleted.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { keptRecord, neededIncludes } from '../backup/kept-record.ts';
import { everyRecord } from '../backup/read-account.ts';
import type { Source } from './source.ts';

export interface Selection {
  /** By the document’s names; for those that are asked for, not for what they point at. */
  filters: Readonly<Record<string, string>>;
  withDeleted: boolean;
}

export function accountSource(session: Session, { filters, withDeleted }: Selection): Source {
  const { api } = session;
  const batchesOf = (resource: Resource): AsyncIterable<readonly Row[]> => {
    if (withDeleted && Object.keys(filters).length === 0)
      return recordsWithDeleted(session, everyRecord(session, resource));
    const list = operation(resource, 'list');
    if (!list) throw usage(`${resource.command} can't be listed, and so not copied.`);
    const query = { filters, optional: neededIncludes(api, resource) };
    return session.list({ operation: list, query }).batches();
  };
  return {
    has: ({ list }) => list !== undefined,
    async *records(resource, ids) {
      const kept = (record: Row) => keptRecord(api, resource, record);
      if (ids === undefined) {
        for await (const rows of batchesOf(resource)) yield* rows.map(kept);
        return;
      }
      const wanted = { resource, asks: [{ by: 'id', values: ids }], include: neededIncludes(api, resource) };
      const told = new Set<string>();
      for await (const rows of findRecords(session, wanted)) {
        for (const row of rows) {
          const id = String(row.id);
          if (ids.has(id) && !told.has(id)) yield kept(row);
          told.add(id);
        }
      }
    },
  };
}
