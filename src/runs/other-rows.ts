/** The rows that a row refers to: whether all of them are there yet, which one never will be, and what their ids are. */
import { Failure } from '../base/errors.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { LedgerRow, RowError } from './ledger/row.ts';
import { referencesIn, withIds } from './ledger/row-reference.ts';

/** `ready`: it can be sent · `waits`, for these · `lost`: one of them has failed, and so does it. */
export type Readiness = { is: 'ready' } | { is: 'waits'; for: LedgerRow[] } | { is: 'lost'; error: RowError };

/** Rows that others refer to are mostly referred to again soon: so many ids are remembered. */
const mostRemembered = 10_000;

const ready: Readiness = { is: 'ready' };

export class OtherRows {
  readonly #ledger: Ledger;
  readonly #ids = new Map<string, string>();
  #areNeeded: boolean | undefined;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Whether any row refers to another one: in most runs none does, and nothing has to be looked through. */
  get areNeeded(): boolean {
    this.#areNeeded ??= this.#ledger.hasReferences();
    return this.#areNeeded;
  }

  /** Of all that is left of the row, so that it doesn’t stop half way. */
  readiness(row: LedgerRow): Readiness {
    if (!this.areNeeded) return ready;
    const waits: LedgerRow[] = [];
    for (const name of namesIn(row)) {
      if (this.#ids.has(name)) continue;
      const other = this.#ledger.named(name);
      if (other?.state === 'done' && other.id !== null) this.#remember(name, other.id);
      else if (other && (isToCome(other) || mayBeDone(other))) waits.push(other);
      else return { is: 'lost', error: waitedInVain(name, other) };
    }
    return waits.length === 0 ? ready : { is: 'waits', for: waits };
  }

  isReady(row: LedgerRow): boolean {
    return this.readiness(row) === ready;
  }

  /** A row that others refer to is done: they needn’t ask the ledger. */
  note({ name, id, state }: LedgerRow): void {
    if (name !== null && id !== null && state === 'done') this.#remember(name, id);
  }

  /** The same value with ids in the place of references. Throws where a row has none. */
  resolved(value: unknown, { name: own, id }: LedgerRow): unknown {
    if (!this.areNeeded) return value;
    return withIds(value, (name) => {
      const known = (name === own ? id : this.#ids.get(name)) ?? this.#ledger.named(name)?.id;
      if (known === undefined || known === null)
        throw new Failure('usage', `The ledger knows no id of ${name}.`);
      return known;
    });
  }

  #remember(name: string, id: string): void {
    if (this.#ids.size >= mostRemembered) this.#ids.clear();
    this.#ids.set(name, id);
  }
}

/** A row may name itself: its first step makes the record, and a later one speaks of it. */
export function namesIn({ name, steps, step }: LedgerRow): Set<string> {
  const names = new Set<string>();
  for (const each of steps.slice(step)) for (const one of referencesIn(each)) names.add(one);
  if (name !== null) names.delete(name);
  return names;
}

function isToCome({ state }: LedgerRow): boolean {
  return state === 'planned' || state === 'read';
}

/** It may be at the service: once that is known, those who wait can go on. */
export function mayBeDone({ state }: LedgerRow): boolean {
  return state === 'sent' || state === 'unknown';
}

function waitedInVain(name: string, other: LedgerRow | undefined): RowError {
  if (!other) {
    return { category: 'usage', message: `Was not sent: it refers to ${name}, which is no row of the run.` };
  }
  const category = other.error?.category ?? 'refused';
  const why = other.state === 'done' ? 'has no id' : 'failed';
  return { category, message: `Was not sent: it waited for ${name}, which ${why}.`, waited_for: name };
}
