/** The source of a transfer: a backup, or another account. */

import { findRecords } from '../../account/session/find-records.ts';
import { recordsWithDeleted } from '../../account/session/list.ts';
import { MissingFields } from '../../account/session/missing-fields.ts';
import type { Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { usage } from '../../base/errors.ts';
import type { Intent } from '../runs/ledger/row.ts';
import type { RowProblem } from '../tables/table.ts';
import type { BackupManifest } from './backup/manifest.ts';
import { completeListCall, neededIncludes, storedRecord } from './backup/read-account.ts';
import { readRecords } from './backup/read-lines.ts';

/** The records of a transfer. */
export interface Source {
  has(resource: Resource): boolean;
  /** Yields all records, or only the records with these IDs. */
  records(resource: Resource, ids?: ReadonlySet<string>): AsyncIterable<SourceRecord>;
  /** Throws a usage failure if the source has changed since it was opened. */
  refuseChanged?(): Promise<void>;
}

/** A record of a source. For files that people edit, also its line and the contents of its cells. */
export interface SourceRecord {
  /** The record as a backup stores it. Fields that are missing or empty in a file are missing. */
  record: Row;
  line?: number | undefined;
  /** The reasons why the record can't be written. */
  problems?: readonly RowProblem[] | undefined;
  /** Whether the row of a file has no ID: the record doesn't exist in any account yet. */
  isNew?: boolean | undefined;
  /** The original contents of cells, and the ambiguous values; see `Intent`. */
  written?: Intent['written'];
  doubts?: Intent['doubts'];
}

export function backupSource(folder: string, { resources }: BackupManifest): Source {
  const entryOf = ({ name }: Resource) => resources.find((entry) => entry.resource === name);
  return {
    has: (resource) => entryOf(resource) !== undefined,
    async *records(resource, ids) {
      const entry = entryOf(resource);
      if (!entry) throw usage(`The backup in ${folder} contains no ${resource.nouns}.`);
      for await (const record of readRecords(folder, entry)) {
        if (ids === undefined || ids.has(String(record.id))) yield { record };
      }
    },
  };
}

/** The records of an account to transfer. */
interface AccountSelection {
  /** Filters by their names in the API. They apply to requested records, but not to the records that these refer to. */
  filters: Readonly<Record<string, string>>;
  includesDeleted: boolean;
}

export function accountSource(session: Session, { filters, includesDeleted }: AccountSelection): Source {
  const { api } = session;
  const failIfMissing = (resource: Resource) => (paths: readonly string[]) => {
    const missing = new MissingFields();
    missing.of(resource)(paths);
    missing.throwIfAny('Nothing was copied.');
  };
  const batchesOf = (resource: Resource): AsyncIterable<readonly Row[]> => {
    if (includesDeleted && Object.keys(filters).length === 0)
      return recordsWithDeleted(session, completeListCall(session, resource, failIfMissing(resource)));
    const list = operation(resource, 'list');
    if (!list) throw usage(`${resource.command} can't be listed, so they can't be copied.`);
    const query = { filters, optional: neededIncludes(api, resource), onMissing: failIfMissing(resource) };
    return session.list({ operation: list, query }).batches();
  };
  return {
    has: ({ list }) => list !== undefined,
    async *records(resource, ids) {
      const toSourceRecord = (record: Row) => ({ record: storedRecord(api, resource, record) });
      if (ids === undefined) {
        for await (const rows of batchesOf(resource)) yield* rows.map(toSourceRecord);
        return;
      }
      const query = {
        resource,
        searches: [{ by: 'id', values: ids }],
        optional: neededIncludes(api, resource),
        onMissing: failIfMissing(resource),
      };
      const seenIds = new Set<string>();
      for await (const rows of findRecords(session, query)) {
        for (const row of rows) {
          const id = String(row.id);
          if (ids.has(id) && !seenIds.has(id)) yield toSourceRecord(row);
          seenIds.add(id);
        }
      }
    },
  };
}
