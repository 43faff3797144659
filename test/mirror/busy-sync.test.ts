/**
 * Tests syncs of a list that changes between one response and the next, with the real client and a real file.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Handler } from '../../src/account/client/transport.ts';
import { Session } from '../../src/account/session/session.ts';
import { api } from '../../src/api/resources/index.ts';
import { sql } from '../../src/api/sql/sql.ts';
import { Failure } from '../../src/base/errors.ts';
import { mirroredResources } from '../../src/engine/mirror/schema/derive.ts';
import { stateTable } from '../../src/engine/mirror/schema/state.ts';
import { changesTable } from '../../src/engine/mirror/schema/versions.ts';
import { openSqlite } from '../../src/engine/mirror/stores/open.ts';
import type { Store, StoreChange, StoredRow } from '../../src/engine/mirror/stores/store.ts';
import { ChangeLog } from '../../src/engine/mirror/sync/change-log.ts';
import { readStates, stateFor } from '../../src/engine/mirror/sync/states.ts';
import { syncResource } from '../../src/engine/mirror/sync/sync-resource.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { settings } from '../session/test-session.ts';

const startMs = Date.UTC(2026, 10, 20, 8);
const earlierMs = startMs - 3 * 86_400_000;

interface Guest {
  id: string;
  createdAtMs: number;
  changedAtMs: number;
  isDeleted: boolean;
}

/** What `is_deleted` returns: deleted and active customers, or only deleted ones. */
type Variant = 'include' | 'only';

class BusyAccount {
  readonly guests: Guest[] = [];
  now: number;
  isAtRest = false;
  readonly #draw: () => number;
  readonly #variant: Variant;
  readonly #requestMs: number;
  readonly #perPage: number;
  readonly #changeProbability: number;
  #requests = 0;

  constructor(seed: number) {
    this.#draw = randomNumbers(seed);
    this.now = startMs + this.#randomUpTo(999);
    this.#variant = this.#pick(['include', 'only', 'only']);
    this.#requestMs = this.#pick([5, 5, 60, 700, 3000, 20_000, 61_000]);
    this.#perPage = 1 + this.#randomUpTo(3);
    this.#changeProbability = this.#pick([0.1, 0.3]);
    for (let remaining = this.#randomUpTo(18); remaining > 0; remaining--)
      this.#addGuest(earlierMs, this.#draw() < 0.2);
  }

  #randomUpTo(maximum: number): number {
    return Math.floor(this.#draw() * (maximum + 1));
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#randomUpTo(items.length - 1)] as Item;
  }

  #addGuest(timeMs: number, isDeleted = false): void {
    this.guests.push({
      id: `r${this.guests.length + 1}`,
      createdAtMs: timeMs,
      changedAtMs: timeMs,
      isDeleted,
    });
  }

  #changeSomething(): void {
    const change = this.#pick(['add', 'delete', 'restore', 'update']);
    if (change === 'add') {
      this.#addGuest(this.now);
      return;
    }
    const candidates = this.guests.filter(({ isDeleted }) => isDeleted === (change === 'restore'));
    if (candidates.length === 0) return;
    const guest = this.#pick(candidates);
    guest.changedAtMs = this.now;
    guest.isDeleted = change === 'delete';
  }

  readonly handle: Handler = ({ target }) => {
    this.now += this.#requestMs;
    // The changes stop after some time, because a list that always changes can't be read.
    if (++this.#requests > 150) this.isAtRest = true;
    for (
      let remaining = 3;
      !this.isAtRest && remaining > 0 && this.#draw() < this.#changeProbability;
      remaining--
    )
      this.#changeSomething();
    const query = new URL(target, 'http://service.example').searchParams;
    const after = query.get('filter[updated_after]');
    const includesDeleted = query.get('filter[is_deleted]') === 'true';
    const list = this.guests.filter(
      ({ isDeleted, changedAtMs }) =>
        (includesDeleted ? this.#variant === 'include' || isDeleted : !isDeleted) &&
        (after === null || dateOf(changedAtMs) > after),
    );
    const number = Number(query.get('page') ?? 1);
    const lastPage = Math.max(1, Math.ceil(list.length / this.#perPage));
    const data = list.slice((number - 1) * this.#perPage, number * this.#perPage).map((guest) => ({
      id: guest.id,
      name: nameOf(guest),
      created_at: dateOf(guest.createdAtMs),
      updated_at: dateOf(guest.changedAtMs),
      deleted_at: guest.isDeleted ? dateOf(guest.changedAtMs) : null,
      tags: [],
    }));
    const meta = { current_page: number, last_page: lastPage, per_page: this.#perPage, total: list.length };
    const links = { next: number < lastPage ? 'https://elsewhere.example/' : null };
    const date = new Date(this.now).toUTCString();
    return { status: 200, headers: { date }, body: JSON.stringify({ data, links, meta }) };
  };

  /** Returns the syncs before the changes stop: for each, whether it is a full sync. */
  syncs(): boolean[] {
    return Array.from({ length: 1 + this.#randomUpTo(2) }, () => this.#draw() < 0.3);
  }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns a name that differs for each state of a record. */
function nameOf({ changedAtMs, isDeleted }: Guest): string {
  return `${changedAtMs} ${isDeleted}`;
}

function customers() {
  const [customersResource] = mirroredResources(api).filter(({ resource }) => resource.name === 'customers');
  if (!customersResource) throw new Error('The API has no customers.');
  return customersResource;
}

/** Returns the records that differ between mirror and account after the changes have stopped. */
async function differingIds(seed: number, store: Store): Promise<string[]> {
  const account = new BusyAccount(seed);
  const { handle } = account;
  const session = new Session({
    api,
    settings,
    env: {},
    embedded: async () => ({ handle, ownerToken: () => 'owner-token' }),
  });
  const sync = async (isFull: boolean) => {
    const state = stateFor(await readStates(store), 'customers');
    const now = () => dateOf(account.now);
    const forgotten = new Set<string>();
    const log = await ChangeLog.open(store, undefined);
    await syncResource({
      session,
      store: seen.watch(store),
      log,
      mirrored: customers(),
      state,
      isFull,
      forgotten,
      now,
    });
  };
  const seen = new SeenNames();
  const clearedTables = [...customers().tables, stateTable, changesTable];
  await store.write(clearedTables.map((table) => ({ kind: 'clear', table })));
  for (const isFull of account.syncs()) {
    // A sync may fail because the list keeps changing.
    await sync(isFull).catch((error) => {
      if (!(error instanceof Failure && error.category === 'unavailable')) throw error;
    });
    account.now += 100_000;
  }
  account.isAtRest = true;
  await sync(false);
  const rows = await store.read(sql`SELECT id, name FROM customers`);
  const namesById = new Map(rows.map(({ id, name }) => [id, name]));
  const outdatedIds = account.guests
    .filter((guest) => namesById.get(guest.id) !== nameOf(guest))
    .map(({ id }) => id);
  const extraIds = [...namesById.keys()].filter((id) => !account.guests.some((guest) => guest.id === id));
  const versions = await store.read(
    sql`SELECT id, name, _valid_from, _valid_to FROM customers_versions ORDER BY id, _sequence`,
  );
  expect({ seed, versions: namesByIdIn(versions) }).toEqual({
    seed,
    versions: Object.fromEntries(seen.names),
  });
  expect(
    versions.filter(
      ({ _valid_from: from, _valid_to: to }) => from === null || (to !== null && String(from) > String(to)),
    ),
  ).toEqual([]);
  versionCount += versions.filter(({ _valid_to: to }) => to !== null).length;
  return [...outdatedIds, ...extraIds.map(String)];
}

/** The number of earlier versions in all mirrors. */
let versionCount = 0;

function namesByIdIn(versions: readonly StoredRow[]): Record<string, string[]> {
  const byId = Map.groupBy(versions, ({ id }) => String(id));
  return Object.fromEntries([...byId].map(([id, rows]) => [id, rows.map(({ name }) => String(name))]));
}

/** The names that a mirror has stored for each record, in order, since its first sync was complete. */
class SeenNames {
  readonly names = new Map<string, string[]>();
  readonly #stored = new Set<string>();
  #isComplete = false;

  watch(store: Store): Store {
    return {
      ...store,
      write: async (changes) => {
        await store.write(changes);
        for (const change of changes) this.#see(change);
      },
    };
  }

  #see(change: StoreChange): void {
    if (change.kind === 'drop' && change.table.name === 'customers')
      for (const id of change.values) this.#remove(id);
    if (change.kind !== 'put') return;
    const column = (name: string) => change.table.columns.findIndex((candidate) => candidate.name === name);
    if (change.table === stateTable)
      this.#isComplete ||= change.rows.some((row) => row[column('versions_since')] !== null);
    if (change.table.name !== 'customers') return;
    for (const row of change.rows) {
      const [id, name] = [String(row[0]), String(row[column('name')])];
      const earlier = this.#isComplete ? (this.names.get(id) ?? []) : [];
      this.names.set(id, earlier.at(-1) === name && this.#stored.has(id) ? earlier : [...earlier, name]);
      this.#stored.add(id);
    }
  }

  #remove(id: string): void {
    this.#stored.delete(id);
    if (!this.#isComplete) this.names.delete(id);
  }
}

test(
  'mirror synced while its account changes: is complete after the next sync without changes',
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
      expect({ seed, differingIds: await differingIds(seed, store) }).toEqual({ seed, differingIds: [] });
    }
    expect(versionCount).toBeGreaterThan(count);
    reportTried({ tried: `${count} accounts`, seed: first });
  },
  repetitionsTimeoutMs,
);
