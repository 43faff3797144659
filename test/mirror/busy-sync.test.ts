/**
 * Syncs a list that changes many times per second between one response and the next, with the real client and file.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import type { Handler } from '../../src/client/transport.ts';
import { mirroredResources } from '../../src/mirror/schema/derive.ts';
import { stateTable } from '../../src/mirror/schema/state.ts';
import { sql } from '../../src/mirror/stores/sql.ts';
import { openSqlite } from '../../src/mirror/stores/sqlite.ts';
import type { Store } from '../../src/mirror/stores/store.ts';
import { readStates, stateFor } from '../../src/mirror/sync/states.ts';
import { syncResource } from '../../src/mirror/sync/sync-resource.ts';
import { api } from '../../src/resources/index.ts';
import { openSession } from '../../src/session/session.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { settings } from '../session/test-session.ts';

const began = Date.UTC(2026, 10, 20, 8);
const daysBefore = began - 3 * 86_400_000;

interface Guest {
  id: string;
  made: number;
  changed: number;
  isDeleted: boolean;
}

/** Whether `is_deleted` returns deleted customers together with the others, or alone. */
type Variant = 'include' | 'only';

class BusyAccount {
  readonly all: Guest[] = [];
  now: number;
  isAtRest = false;
  readonly #draw: () => number;
  readonly #variant: Variant;
  readonly #ms: number;
  readonly #perPage: number;
  readonly #restlessness: number;
  #requests = 0;

  constructor(seed: number) {
    this.#draw = randomNumbers(seed);
    this.now = began + this.#upTo(999);
    this.#variant = this.#one(['include', 'only', 'only']);
    this.#ms = this.#one([5, 5, 60, 700, 3000, 20_000, 61_000]);
    this.#perPage = 1 + this.#upTo(3);
    this.#restlessness = this.#one([0.1, 0.3]);
    for (let left = this.#upTo(18); left > 0; left--) this.#add(daysBefore, this.#draw() < 0.2);
  }

  #upTo(most: number): number {
    return Math.floor(this.#draw() * (most + 1));
  }

  #one<Each>(all: readonly Each[]): Each {
    return all[this.#upTo(all.length - 1)] as Each;
  }

  #add(at: number, isDeleted = false): void {
    this.all.push({ id: `r${this.all.length + 1}`, made: at, changed: at, isDeleted });
  }

  #happen(): void {
    const what = this.#one(['add', 'delete', 'restore', 'update']);
    if (what === 'add') {
      this.#add(this.now);
      return;
    }
    const able = this.all.filter(({ isDeleted }) => isDeleted === (what === 'restore'));
    if (able.length === 0) return;
    const guest = this.#one(able);
    guest.changed = this.now;
    guest.isDeleted = what === 'delete';
  }

  readonly handle: Handler = ({ target }) => {
    this.now += this.#ms;
    // A list that never stops changing can't be read.
    if (++this.#requests > 150) this.isAtRest = true;
    for (let left = 3; !this.isAtRest && left > 0 && this.#draw() < this.#restlessness; left--)
      this.#happen();
    const query = new URL(target, 'http://service.example').searchParams;
    const after = query.get('filter[updated_after]');
    const withDeleted = query.get('filter[is_deleted]') === 'true';
    const list = this.all.filter(
      ({ isDeleted, changed }) =>
        (withDeleted ? this.#variant === 'include' || isDeleted : !isDeleted) &&
        (after === null || dateOf(changed) > after),
    );
    const number = Number(query.get('page') ?? 1);
    const last = Math.max(1, Math.ceil(list.length / this.#perPage));
    const data = list.slice((number - 1) * this.#perPage, number * this.#perPage).map((guest) => ({
      id: guest.id,
      name: nameOf(guest),
      created_at: dateOf(guest.made),
      updated_at: dateOf(guest.changed),
      deleted_at: guest.isDeleted ? dateOf(guest.changed) : null,
      tags: [],
    }));
    const meta = { current_page: number, last_page: last, per_page: this.#perPage, total: list.length };
    const links = { next: number < last ? 'https://elsewhere.example/' : null };
    const date = new Date(this.now).toUTCString();
    return { status: 200, headers: { date }, body: JSON.stringify({ data, links, meta }) };
  };

  /** How often to sync before the changes stop, and whether completely. */
  syncs(): boolean[] {
    return Array.from({ length: 1 + this.#upTo(2) }, () => this.#draw() < 0.3);
  }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns a text that differs for each state of a record. */
function nameOf({ changed, isDeleted }: Guest): string {
  return `${changed} ${isDeleted}`;
}

function customers() {
  const [found] = mirroredResources(api).filter(({ resource }) => resource.name === 'customers');
  if (!found) throw new Error('There are no customers.');
  return found;
}

/** Returns the records that differ between mirror and account after the changes have stopped. */
async function differing(seed: number, store: Store): Promise<string[]> {
  const account = new BusyAccount(seed);
  const { handle } = account;
  const session = openSession({
    api,
    settings,
    env: {},
    embedded: async () => ({ handle, ownerToken: () => 'owner-token' }),
  });
  const sync = async (isFull: boolean) => {
    const state = stateFor(await readStates(store), 'customers');
    const now = () => dateOf(account.now);
    const forgotten = new Set<string>();
    await syncResource({ session, store, mirrored: customers(), state, isFull, forgotten, now });
  };
  const cleared = [...customers().tables, stateTable];
  await store.write(cleared.map((table) => ({ kind: 'clear', table })));
  for (const isFull of account.syncs()) {
    // A sync may fail: it says so, and doesn't count.
    await sync(isFull).catch((error) => {
      if (!(error instanceof Failure && error.category === 'unavailable')) throw error;
    });
    account.now += 100_000;
  }
  account.isAtRest = true;
  await sync(false);
  const rows = await store.read(sql`SELECT id, name FROM customers`);
  const held = new Map(rows.map(({ id, name }) => [id, name]));
  const wrong = account.all.filter((guest) => held.get(guest.id) !== nameOf(guest)).map(({ id }) => id);
  const gone = [...held.keys()].filter((id) => !account.all.some((guest) => guest.id === id));
  return [...wrong, ...gone.map(String)];
}

test(
  'a mirror synced while its account keeps changing is complete after the next sync at rest',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'boh-busy-sync-'));
    const store = await openSqlite(join(folder, 'mirror.sqlite'), [customers()]);
    onTestFinished(async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    });
    const first = Number(process.env.SOAK_SEED ?? 700);
    const count = repetitions(100, 3000);
    for (let seed = first; seed < first + count; seed++) {
      expect({ seed, differing: await differing(seed, store) }).toEqual({ seed, differing: [] });
    }
    reportTried({ tried: `${count} accounts`, seed: first });
  },
  repetitionsTimeoutMs,
);
