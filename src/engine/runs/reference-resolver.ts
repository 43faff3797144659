/** Resolves references between rows: whether the other rows are done or have failed, and the IDs of their records. */
import { Failure } from '../../base/errors.ts';
import type { Ledger } from './ledger/ledger.ts';
import { findReferences, type LedgerRow, type RowError, withIds } from './ledger/row.ts';

/**
 * Whether a row can be sent. `ready`: it can. `blocked`: it can when the rows in `blockers` are done. `failed`: one of
 * these rows has failed, so the row fails, too.
 */
export type Readiness =
  | { status: 'ready' }
  | { status: 'blocked'; blockers: LedgerRow[] }
  | { status: 'failed'; error: RowError };

/** The maximum number of IDs in memory. References to the same row are usually close to each other. */
const maxRememberedIds = 10_000;

const ready: Readiness = { status: 'ready' };

/** Resolves the references of the rows of one ledger. */
export class ReferenceResolver {
  readonly #ledger: Ledger;
  readonly #ids = new Map<string, string>();
  #hasReferences: boolean | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Returns whether any row refers to another one. In most runs no row does, and the rows needn't be checked. */
  get hasReferences(): boolean {
    this.#hasReferences ??= this.#ledger.hasReferences();
    return this.#hasReferences;
  }

  /** Returns whether all remaining steps of the row can be sent, so that it doesn't stop after some of them. */
  readiness(row: LedgerRow): Readiness {
    if (!this.hasReferences) return ready;
    const blockers: LedgerRow[] = [];
    for (const name of referencedNames(row)) {
      if (this.#ids.has(name)) continue;
      const otherRow = this.#ledger.rowNamed(name);
      if (otherRow?.state === 'done' && otherRow.id !== null) this.#remember(name, otherRow.id);
      else if (otherRow && (isPending(otherRow) || mayBeDone(otherRow))) blockers.push(otherRow);
      else return { status: 'failed', error: referenceError(name, otherRow) };
    }
    return blockers.length === 0 ? ready : { status: 'blocked', blockers };
  }

  isReady(row: LedgerRow): boolean {
    return this.readiness(row) === ready;
  }

  /** Remembers the ID of a row that is done, so that the ledger isn't queried for it. */
  rememberId({ name, id, state }: LedgerRow): void {
    if (name !== null && id !== null && state === 'done') this.#remember(name, id);
  }

  /** Returns the value with IDs in place of references. Throws if a row has no ID. */
  resolve(value: unknown, { name: ownName, id }: LedgerRow): unknown {
    if (!this.hasReferences) return value;
    return withIds(value, (name) => {
      const referencedId = (name === ownName ? id : this.#ids.get(name)) ?? this.#ledger.rowNamed(name)?.id;
      if (referencedId === undefined || referencedId === null)
        throw new Failure('usage', `The ledger has no ID for ${name}.`);
      return referencedId;
    });
  }

  #remember(name: string, id: string): void {
    if (this.#ids.size >= maxRememberedIds) this.#ids.clear();
    this.#ids.set(name, id);
  }
}

/**
 * Returns the names of other rows that the steps refer to. A row may refer to itself: its first step creates the record
 * that later steps use.
 */
export function referencedNames({ name, steps, step }: LedgerRow): Set<string> {
  const names = new Set<string>();
  for (const remainingStep of steps.slice(step))
    for (const reference of findReferences(remainingStep)) names.add(reference);
  if (name !== null) names.delete(name);
  return names;
}

function isPending({ state }: LedgerRow): boolean {
  return state === 'planned' || state === 'read';
}

/** Returns whether the row may have succeeded. Rows that wait for it can be sent when its outcome is known. */
export function mayBeDone({ state }: LedgerRow): boolean {
  return state === 'sent' || state === 'unknown';
}

function referenceError(name: string, otherRow: LedgerRow | undefined): RowError {
  if (!otherRow) {
    return { category: 'usage', message: `Not sent: it refers to ${name}, which is not a row of the run.` };
  }
  const category = otherRow.error?.category ?? 'refused';
  const reason = otherRow.state === 'done' ? 'has no ID' : 'failed';
  return { category, message: `Not sent: it depends on ${name}, which ${reason}.`, waited_for: name };
}
