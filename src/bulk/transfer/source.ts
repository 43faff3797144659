/** Where the records of a transfer come from: a backup, or another account. */
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import type { Row } from '../../session/row.ts';
import type { Manifest } from '../backup/manifest.ts';
import { readRecords } from '../backup/read-lines.ts';

export interface Source {
  has(resource: Resource): boolean;
  /** As a backup keeps them: all, or those with these ids. */
  records(resource: Resource, ids?: ReadonlySet<string>): AsyncIterable<Row>;
}

export function backupSource(folder: string, { resources }: Manifest): Source {
  const entryOf = ({ name }: Resource) => resources.find((entry) => entry.resource === name);
  return {
    has: (resource) => entryOf(resource) !== undefined,
    async *records(resource, ids) {
      const entry = entryOf(resource);
      if (!entry) throw usage(`The backup in ${folder} holds no ${resource.nouns}.`);
      for await (const record of readRecords(folder, entry)) {
        if (ids === undefined || ids.has(String(record.id))) yield record;
      }
    },
  };
}
