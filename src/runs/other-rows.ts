/** Finds the rows that a row refers to: whether they are done, whether one has failed, and their ids. */
import { Failure } from '../base/errors.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow, RowError } from './ledger/row.ts';
import { referencesIn, withIds } from './ledger/row-reference.ts';

/**
 * Whether a row can be sent. `ready`: yes. `waits`: not before the rows in `for` are done. `lost`: one of them has
 * failed, and so the row fails.
 */
export type Readiness = { is: 'ready' } | { is: 'waits'; for: LedgerRow[] } | { is: 'lost'; error: RowError };

/** How many ids are remembered. A row that was referred to is usually referred to again soon. */
const maxRememberedIds = 10_000;

const ready: Readiness = { is: 'ready' };

/** Resolves the references of the rows of one ledger. */
export class OtherRows {
  readonly #ledger: Ledger;
  readonly #ids = new Map<string, string>();
  #areNeeded: boolean | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Returns whether any row refers to another one. In most runs none does, and no row has to be checked. */
  get areNeeded(): boolean {
    this.#areNeeded ??= this.#ledger.hasReferences();
    return this.#areNeeded;
  }

  /** Returns whether all steps that are left of the row can be sent, so that it doesn't stop half way. */
  readiness(row: LedgerRow): Readiness {
    if (!this.areNeeded) return ready;
    const waits: LedgerRow[] = [];
    for (const name of namesIn(row)) {
      if (this.#ids.has(name)) continue;
      const other = this.#ledger.named(name);
      if (other?.state === 'done' && other.id !== null) this.#remember(name, other.id);
      else if (other && (isPending(other) || mayBeDone(other))) waits.push(other);
      else return { is: 'lost', error: lostReference(name, other) };
    }
    return waits.length === 0 ? ready : { is: 'waits', for: waits };
  }

  isReady(row: LedgerRow): boolean {
    return this.readiness(row) === ready;
  }

  /** Remembers the id of a row that is done, so that the ledger isn't queried for it. */
  note({ name, id, state }: LedgerRow): void {
    if (name !== null && id !== null && state === 'done') this.#remember(name, id);
  }

  /** Returns the value with ids in place of references. Throws if a row has no id. */
  resolved(value: unknown, { name: own, id }: LedgerRow): unknown {
    if (!this.areNeeded) return value;
    return withIds(value, (name) => {
      const known = (name === own ? id : this.#ids.get(name)) ?? this.#ledger.named(name)?.id;
      if (known === undefined || known === null)
        throw new Failure('usage', `The ledger has no ID for ${name}.`);
      return known;
    });
  }

  #remember(name: string, id: string): void {
    if (this.#ids.size >= maxRememberedIds) this.#ids.clear();
    this.#ids.set(name, id);
  }
}

/**
 * Returns the names of other rows that the steps refer to. A row may refer to itself: its first step creates the
 * record that later ones use.
 */
export function namesIn({ name, steps, step }: LedgerRow): Set<string> {
  const names = new Set<string>();
  for (const each of steps.slice(step)) for (const one of referencesIn(each)) names.add(one);
  if (name !== null) names.delete(name);
  return names;
}

function isPending({ state }: LedgerRow): boolean {
  return state === 'planned' || state === 'read';
}

/** Returns whether the row may have been carried out. Rows that wait for it can be sent once that is known. */
export function mayBeDone({ state }: LedgerRow): boolean {
  return state === 'sent' || state === 'unknown';
}

function lostReference(name: string, other: LedgerRow | undefined): RowError {
  if (!other) {
    return { category: 'usage', message: `Not sent: it refers to ${name}, which is not a row of the run.` };
  }
  const category = other.error?.category ?? 'refused';
  const why = other.state === 'done' ? 'has no ID' : 'failed';
  return { category, message: `Not sent: it depends on ${name}, which ${why}.`, waited_for: name };
}
