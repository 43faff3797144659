/** A transfer of records into an account: what is asked for, and what is found out on the way. */
import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import type { Source } from './source.ts';

export interface Transfer {
  ledger: Ledger;
  /** The account that is written to. */
  session: Session;
  source: Source;
  /** Those that are asked for; what they point at has to be there, or comes with them. */
  resources: readonly Resource[];
  /** The records are those of this very account, and keep their ids. */
  isSameAccount: boolean;
  /** Deleted records too: made, and deleted again at the end. */
  withDeleted: boolean;
  /** Records that others point at come with them, where they are missing. */
  withReferences: boolean;
  /** Relations to what is missing are left out. */
  skipMissing: boolean;
  /** Fields that the token may not write, by the names of answers, for each resource: they are left out. */
  denied: ReadonlyMap<string, ReadonlySet<string>>;
  /** The id of a record that the API has no list of, such as a branch; undefined where nobody said. */
  idOfReference(target: string, related: Row): string | undefined;
  findings: Findings;
  /** Called once the source is read, before the account that is written to is. */
  beforeMatching?: (() => Promise<void>) | undefined;
  /** Told of rows that were read, compared or decided. */
  onRows?: ((count: number) => void) | undefined;
}

/** What a row of the plan is about, until it is decided. */
export interface TransferIntent {
  record: Row;
  /** Records of the target that could be it. */
  candidates?: Row[];
  /** It is only pointed at by others. */
  isReferenced: boolean;
}

/** Why records are not written, though they were there: each of them is told of before anything is sent. */
export type HeldBack = 'deleted' | 'settled' | 'closed' | 'not_creatable' | 'not_writable';

export interface Missing {
  target: string;
  id: string;
  /** As people know it, where that is known. */
  name: string | null;
  /** How many records point at it, and one of them. */
  count: number;
  example: string;
}

export class Findings {
  readonly heldBack = new Map<HeldBack, Map<string, number>>();
  readonly missing = new Map<string, Missing>();
  /** How many relations were left out, by resource and field, as they lead to what is held back, or is missing and may be. */
  readonly leftOut = new Map<string, Map<string, number>>();
  readonly #names = new Set<string>();
  /** What people know records by that were looked for and aren’t there. */
  readonly #titles = new Map<string, string>();

  hold(why: HeldBack, resource: Resource, id: string): void {
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

  /** To be told of a record that is only pointed at, and that the target lacks. */
  lack(name: string, title: string | null): void {
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

/** By which rows of a plan refer to each other: `tags/42`, the id being that of the source. */
export function rowName(resource: string, id: string): string {
  return `${resource}/${id}`;
}

/** What people know a record by. */
export function titleOf({ key, title }: Resource, record: Row): string {
  const names = title === undefined ? key : [title, ...key];
  const found = names.map((name) => record[name]).find((value) => typeof value === 'string' && value !== '');
  return String(found ?? record.id);
}

/** By the names of answers, as far as the token’s scopes are known. Sends nothing. */
export async function deniedFields(
  session: Session,
  resources: readonly Resource[],
): Promise<Transfer['denied']> {
  const denied = new Map<string, Set<string>>();
  for (const resource of resources) {
    for (const verb of ['create', 'update']) {
      const write = operation(resource, verb);
      for (const { name, shown, field } of write?.body ?? []) {
        if (!write || !field.traits.writeScope) continue;
        const failure = await session
          .permit({ operation: write, body: { [name]: null } })
          .catch((error: unknown) => error);
        if (!(failure instanceof Failure) || !failure.details.fields?.[name]) continue;
        denied.set(resource.name, (denied.get(resource.name) ?? new Set()).add(shown));
      }
    }
  }
  return denied;
}
