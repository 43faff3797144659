/** The options and the report of a transfer of records to an account. */

import type { Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { operation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure } from '../../base/errors.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import type { Intent } from '../runs/ledger/row.ts';
import type { Source } from './source.ts';

export interface Transfer {
  ledger: Ledger;
  /** The target account. */
  session: Session;
  source: Source;
  /** The requested resources; the records that they reference must exist in the target or are transferred, too. */
  resources: readonly Resource[];
  /** Whether source and target are the same account, so that records keep their IDs. */
  isSameAccount: boolean;
  /** Whether deleted records are transferred: they are created, and deleted at the end. */
  includesDeleted: boolean;
  /** Whether referenced records that are missing in the target are transferred, too. */
  includesReferences: boolean;
  /** Whether relations to missing records are omitted. */
  skipsMissing: boolean;
  /** The fields that the token may not write, by resource, named as in responses. They are omitted. */
  deniedFields: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * Set if people may have edited the source, such as the files of an export. Records that have changed since are refused or
   * overwritten. In the same account a list of links replaces the existing list.
   */
  edited?: { stale: 'refuse' | 'overwrite'; acceptsDamage?: boolean | undefined } | undefined;
  /**
   * Returns the target's ID of a record that isn't transferred, such as a branch, which the API can't list. Returns undefined
   * if the record isn't known.
   */
  idOfReference(target: string, related: Row): string | undefined;
  report: TransferReport;
  /** Called after the source is read and before the target is read. */
  beforeMatching?: (() => Promise<void>) | undefined;
  /** Called with the number of rows that were read, compared or decided. */
  onRows?: ((count: number) => void) | undefined;
}

/** The data of a row of the plan before its action is decided. */
export interface TransferIntent {
  record: Row;
  /** The records of the target that may match. */
  candidates?: Row[];
  /** Whether the record wasn't requested, but other records refer to it. */
  isReferenced: boolean;
  /** Whether the record doesn't exist in any account yet. */
  isNew?: boolean | undefined;
  /** The original contents of cells, and the ambiguous values; see `Intent`. */
  written?: Intent['written'];
  doubts?: Intent['doubts'];
}

/** The reason why a record of the source isn't written. Excluded records are reported before anything is sent. */
export type ExclusionReason =
  | 'deleted'
  | 'took_effect'
  | 'target_took_effect'
  | 'not_creatable'
  | 'not_writable';

/** A record that others refer to, and that is missing in the target. */
export interface MissingRecord {
  target: string;
  id: string;
  /** The record's display name, if it is known. */
  name: string | null;
  /** The number of records that refer to it, and an example. */
  count: number;
  example: string;
}

/** Collects the excluded records, missing records and omitted relations of a transfer for its report. */
export class TransferReport {
  readonly excluded = new Map<ExclusionReason, Map<string, number>>();
  readonly missing = new Map<string, MissingRecord>();
  /** The number of relations that were omitted because their record is excluded or missing, by resource and field. */
  readonly omittedRelations = new Map<string, Map<string, number>>();
  readonly #excludedNames = new Set<string>();
  /** The titles of missing records, by row name. */
  readonly #titles = new Map<string, string>();

  addExcluded(reason: ExclusionReason, resource: Resource, id: string): void {
    const counts = this.excluded.get(reason) ?? new Map<string, number>();
    this.excluded.set(reason, counts);
    counts.set(resource.name, (counts.get(resource.name) ?? 0) + 1);
    this.#excludedNames.add(rowName(resource.name, id));
  }

  addOmittedRelation({ name }: Resource, field: string, count = 1): void {
    const counts = this.omittedRelations.get(name) ?? new Map<string, number>();
    this.omittedRelations.set(name, counts.set(field, (counts.get(field) ?? 0) + count));
  }

  isExcluded(target: string, id: string): boolean {
    return this.#excludedNames.has(rowName(target, id));
  }

  /** Stores the title of a missing record, for messages about it. */
  addMissingTitle(name: string, title: string | null): void {
    if (title !== null) this.#titles.set(name, title);
  }

  addMissing(target: string, related: Row, example: string): void {
    const id = String(related.id);
    const key = rowName(target, id);
    const existing = this.missing.get(key);
    const name = typeof related.name === 'string' ? related.name : (this.#titles.get(key) ?? null);
    this.missing.set(
      key,
      existing ? { ...existing, count: existing.count + 1 } : { target, id, name, count: 1, example },
    );
  }
}

/** Returns the name by which rows of a plan refer to each other: `tags/42`, with the ID of the source. */
export function rowName(resource: string, id: string): string {
  return `${resource}/${id}`;
}

/** Returns the fields that the token may not write, if its scopes are known. Sends no requests. */
export async function findDeniedFields(
  session: Session,
  resources: readonly Resource[],
): Promise<Transfer['deniedFields']> {
  const deniedFields = new Map<string, Set<string>>();
  for (const resource of resources) {
    for (const verb of ['create', 'update']) {
      const write = operation(resource, verb);
      for (const { name, responseName, field } of write?.body ?? []) {
        if (!write || !field.traits.writeScope) continue;
        const failure = await session.permissions
          .checkPermission({ operation: write, body: { [name]: null } })
          .catch((error: unknown) => error);
        if (!(failure instanceof Failure) || !failure.details.fields?.[name]) continue;
        deniedFields.set(resource.name, (deniedFields.get(resource.name) ?? new Set()).add(responseName));
      }
    }
  }
  return deniedFields;
}
