import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { killAfter } from '../harness/kill-after.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { runBoh } from '../harness/run-boh.ts';
import { type ServedSandbox, serveSandbox } from '../harness/served-sandbox.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { differencesBetween } from '../mirror/workspace.ts';

const writerCount = 8;
const killsPerRound = 3;
const seed = Number(process.env.SOAK_SEED ?? 15);

type Row = Record<string, unknown>;

test(
  'mirror sync killed repeatedly while eight writers change the account: matches the account in the end',
  async () => {
    const served = await serveSandbox();
    const file = join(served.config, 'mirror.sqlite');
    const env = { ...served.env, BOH_MIRROR: `sqlite:${file}` };
    const sql = (text: string) => {
      const database = new DatabaseSync(file, { readOnly: true });
      const rows = database.prepare(text).all() as Row[];
      database.close();
      return rows;
    };
    const json = async (line: string): Promise<Row[]> => {
      const result = await runBoh([...line.split(' '), '--json'], { env });
      expect({ line, ...result }).toMatchObject({ exitCode: 0 });
      return JSON.parse(result.stdout);
    };
    const draw = randomNumbers(seed);
    let [killCount, writes] = [0, 0];
    for (let round = 1; round <= repetitions(1); round++) {
      const controller = new AbortController();
      const writeCounts = Array.from({ length: writerCount }, () => 0);
      const writersDone = writeCounts.map((_, index) =>
        runWriter(served, randomNumbers(seed + round * writerCount + index), controller.signal, () => {
          writeCounts[index] = (writeCounts[index] ?? 0) + 1;
        }),
      );
      const killsBefore = killCount;
      for (
        let attempts = 0;
        killCount < killsBefore + killsPerRound && attempts < killsPerRound * 4;
        attempts++
      ) {
        const fullFlag = draw() < 0.3 ? ['--full'] : [];
        if (await killAfter(60 + draw() * 500, ['mirror', 'sync', ...fullFlag], env)) killCount++;
      }
      // Each writer has written something during or after the kills.
      await waitUntil(() => expect(Math.min(...writeCounts)).toBeGreaterThan(0));
      controller.abort();
      await Promise.all(writersDone);
      writes += writeCounts.reduce((sum, count) => sum + count, 0);

      expect(await spawnBoh(['mirror', 'sync', '--lock'], { env })).toMatchObject({ exitCode: 0 });
      expect(sql('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      expect({ round, differences: await differencesBetween(json, sql, resourcesWithDeleted) }).toEqual({
        round,
        differences: [],
      });
    }
    expect(killCount).toBeGreaterThan(0);
    // A complete read removes records that the list no longer contains.
    expect(await spawnBoh(['mirror', 'sync', '--full'], { env })).toMatchObject({ exitCode: 0 });
    expect(await differencesBetween(json, sql)).toEqual([]);
    reportTried({ tried: `${killCount} kills of a sync during ${writes} writes`, seed });
  },
  repetitionsTimeoutMs,
);

/** Resources whose lists include deleted records: a partial sync reads all their deletions. */
const resourcesWithDeleted = api.collections
  .filter(({ filters }) => filters.some(({ name }) => name === 'is_deleted'))
  .map(({ name }) => name);

/** Sends random writes until the signal is aborted. Calls `onDone` after each completed write. */
async function runWriter(
  { baseUrl, token }: ServedSandbox,
  draw: () => number,
  signal: AbortSignal,
  onDone: () => void,
): Promise<void> {
  const createdIds: string[] = [];
  const send = async (method: string, path: string, body?: unknown): Promise<Row | undefined> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (response.ok) onDone();
    return response.ok && text !== '' ? (JSON.parse(text) as { data: Row }).data : undefined;
  };
  const pick = (list: readonly string[]) => list[Math.floor(draw() * list.length)] ?? 'none';
  const readIds = async (path: string) => {
    const response = await fetch(`${baseUrl}/${path}`, { headers: { authorization: `Bearer ${token}` } });
    return ((await response.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  const [items, suppliers, users, tags, orders] = await Promise.all(
    ['inventory_items', 'suppliers', 'users', 'tags?filter[type]=1', 'transfer_orders'].map(readIds),
  );
  const actions: (() => Promise<unknown>)[] = [
    async () => {
      const customer = await send('POST', '/customers', {
        name: `Guest ${draw()}`,
        phone: '1',
        tags: [{ id: pick(tags ?? []) }],
      });
      if (customer) createdIds.push(String(customer.id));
    },
    () => send('PUT', `/customers/${pick(createdIds)}`, { email: `${draw()}@example.com` }),
    () =>
      send('PUT', `/customers/${pick(createdIds)}`, { tags: draw() < 0.5 ? [] : [{ id: pick(tags ?? []) }] }),
    () => send('DELETE', `/customers/${pick(createdIds)}`),
    () => send('PUT', `/customers/${pick(createdIds)}/restore`),
    () => send('PUT', `/inventory_items/${pick(items ?? [])}`, { cost: Math.round(draw() * 10_000) / 100 }),
    () =>
      send('POST', `/suppliers/${pick(suppliers ?? [])}/items/${pick(items ?? [])}`, {
        order_unit: 'box',
        order_to_storage_factor: 1 + Math.floor(draw() * 9),
      }),
    () => send('DELETE', `/suppliers/${pick(suppliers ?? [])}/items/${pick(items ?? [])}`),
    () =>
      send('POST', '/transfer_orders', {
        status: 1,
        branch_id: 'branch-riverside',
        warehouse_id: 'warehouse-central',
        creator_id: pick(users ?? []),
        poster_id: pick(users ?? []),
        items: [{ id: pick(items ?? []), quantity: 1 + Math.floor(draw() * 9) }],
      }),
    () => send('DELETE', `/transfer_orders/${pick(orders ?? [])}`),
    () => send('POST', '/modifiers', { name: `Sauce ${draw()}` }),
  ];
  while (!signal.aborted) {
    await actions[Math.floor(draw() * actions.length)]?.();
    await new Promise((resolve) => setTimeout(resolve, 15 + draw() * 30));
  }
}
