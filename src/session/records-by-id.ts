/** Records of several resources, read by their ids in as few requests as their lists allow: those that are deleted, too. */
import { deletedToo } from '../contract/filter.ts';
import type { Resource } from '../contract/resource.ts';
import { findRecords } from './find-records.ts';
import type { Row } from './row.ts';
import type { Session } from './session.ts';

/** What is wanted of one resource: its records by id, with relations that the answers have to show. */
export interface WantedOf {
  ids: Set<string>;
  include: Set<string>;
}

export class WantedRecords {
  readonly #all = new Map<Resource, WantedOf>();

  of(resource: Resource): WantedOf {
    const own = this.#all.get(resource) ?? { ids: new Set(), include: new Set() };
    this.#all.set(resource, own);
    return own;
  }

  /** By `recordKey`; what isn’t there any more, not even as a deleted one, is not among them. */
  async read(session: Session): Promise<Map<string, Row>> {
    const found = new Map<string, Row>();
    for (const [resource, { ids, include }] of this.#all) {
      await readAll(resource, [...ids], [...include], false, session, found);
      const gone = [...ids].filter((id) => !found.has(recordKey(resource, id)));
      if (deletedToo(resource.filters)) await readAll(resource, gone, [...include], true, session, found);
    }
    return found;
  }
}

export function recordKey({ name }: Pick<Resource, 'name'>, id: string): string {
  return JSON.stringify([name, id]);
}

async function readAll(
  resource: Resource,
  values: readonly string[],
  include: readonly string[],
  deletedOnly: boolean,
  session: Session,
  found: Map<string, Row>,
): Promise<void> {
  const wanted = new Set(values);
  const asks = [{ by: 'id', values }];
  for await (const rows of findRecords(session, { resource, asks, include, deletedOnly })) {
    for (const record of rows)
      if (wanted.has(String(record.id))) found.set(recordKey(resource, String(record.id)), record);
  }
}
