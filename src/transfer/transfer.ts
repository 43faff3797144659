/** The options and findings of a transfer of records to an account. */
import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { Intent } from '../runs/intent.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import type { Source } from './source.ts';

/** The options of a transfer. */
export interface Transfer {
  ledger: Ledger;
  /** The target account. */
  session: Session;
  source: Source;
  /** The requested resources; the records that they reference must exist in the target or are transferred, too. */
  resources: readonly Resource[];
  /** Whether source and target are the same account, so that records keep their ids. */
  isSameAccount: boolean;
  /** Whether deleted records are transferred: created, and deleted at the end. */
  withDeleted: boolean;
  /** Whether missing referenced records are transferred, too. */
  withReferences: boolean;
  /** Whether relations to missing records are left out. */
  skipMissing: boolean;
  /** Fields that the token may not write, by resource, named as in responses; they are left out. */
  denied: ReadonlyMap<string, ReadonlySet<string>>;
  /**
   * What applies if people may have edited the source, as files of an export: records that have changed since are refused
   * or overwritten, and in the same account a list of links replaces the existing one.
   */
  edited?: { stale: 'refuse' | 'overwrite' } | undefined;
  /**
   * Returns the target's id of a record that isn't transferred: one that the API can't list, such as a branch, or one that
   * is found otherwise. Undefined if there is none.
   */
  idOfReference(target: string, related: Row): string | undefined;
  findings: Findings;
  /** Called after the source is read and before the target is. */
  beforeMatching?: (() => Promise<void>) | undefined;
  /** Called with the number of rows that were read, compared or decided. */
  onRows?: ((count: number) => void) | undefined;
}

/** The content of a row of the plan until it is decided. */
export interface TransferIntent {
  record: Row;
  /** Records of the target that may match. */
  candidates?: Row[];
  /** Whether it is only referenced by others. */
  isReferenced: boolean;
  /** Whether its record doesn't exist anywhere yet. */
  isNew?: boolean | undefined;
  /** The texts of a file and its doubtful values; see `Intent`. */
  written?: Intent['written'];
  doubts?: Intent['doubts'];
}

/** Reasons why existing records are not written; each such record is reported before anything is sent. */
export type HeldBack = 'deleted' | 'settled' | 'closed' | 'not_creatable' | 'not_writable';

/** A record that is referenced and missing in the target. */
export interface Missing {
  target: string;
  id: string;
  /** The record's display name, if it is known. */
  name: string | null;
  /** The number of records that reference it, and an example. */
  count: number;
  example: string;
}

/** Collects what a transfer reports. */
export class Findings {
  readonly heldBack = new Map<HeldBack, Map<string, number>>();
  readonly missing = new Map<string, Missing>();
  /** The number of relations that were left out because their target is held back or missing, by resource and field. */
  readonly leftOut = new Map<string, Map<string, number>>();
  readonly #names = new Set<string>();
  /** The titles of missing records, by row name. */
  readonly #titles = new Map<string, string>();

  addHeldBack(why: HeldBack, resource: Resource, id: string): void {
    const counts = this.heldBack.get(why) ?? new Map<string, number>();
    this.heldBack.set(why, counts);
    counts.set(resource.name, (counts.get(resource.name) ?? 0) + 1);
    this.#names.add(rowName(resource.name, id));
  }

  leaveOut({ name }: Resource, field: string, count = 1): void {
    const counts = this.leftOut.get(name) ?? new Map<string, number>();
    this.leftOut.set(name, counts.set(field, (counts.get(field) ?? 0) + count));
  }

  isHeldBack(target: string, id: string): boolean {
    return this.#names.has(rowName(target, id));
  }

  /** Adds a record that is only referenced and that the target lacks. */
  addMissingTitle(name: string, title: string | null): void {
    if (title !== null) this.#titles.set(name, title);
  }

  miss(target: string, related: Row, example: string): void {
    const id = String(related.id);
    const key = rowName(target, id);
    const known = this.missing.get(key);
    const name = typeof related.name === 'string' ? related.name : (this.#titles.get(key) ?? null);
    this.missing.set(
      key,
      known ? { ...known, count: known.count + 1 } : { target, id, name, count: 1, example },
    );
  }
}

/** Returns the name by which rows of a plan reference each other: `tags/42`, with the id of the source. */
export function rowName(resource: string, id: string): string {
  return `${resource}/${id}`;
}

/** Returns the fields named as in responses, as far as the token's scopes are known. Sends nothing. */
export async function deniedFields(
  session: Session,
  resources: readonly Resource[],
): Promise<Transfer['denied']> {
  const denied = new Map<string, Set<string>>();
  for (const resource of resources) {
    for (const verb of ['create', 'update']) {
      const write = operation(resource, verb);
      for (const { name, responseName, field } of write?.body ?? []) {
        if (!write || !field.traits.writeScope) continue;
        const failure = await session
          .permit({ operation: write, body: { [name]: null } })
          .catch((error: unknown) => error);
        if (!(failure instanceof Failure) || !failure.details.fields?.[name]) continue;
        denied.set(resource.name, (denied.get(resource.name) ?? new Set()).add(responseName));
      }
    }
  }
  return denied;
}
