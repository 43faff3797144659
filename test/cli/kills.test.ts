/**
 * Kills runs at any moment, at a service that delays and breaks responses, and resumes them: no row is lost, repeated or
 * unknown in the end. The tests run at the same time, because a resumed run waits for the last requests of the killed one.
 */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { copyDemoBusiness } from '../harness/demo-business.ts';
import { home } from '../harness/home-folder.ts';
import { killAfter } from '../harness/kill-after.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { isSoak, repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { runLine } from '../harness/run-line.ts';
import { type ServedSandbox, serveSandbox } from '../harness/served-sandbox.ts';

/** Delays responses, or drops them after the service has committed: the moments that a kill should hit. */
const faults = `
seed: 5
rules:
  - {route: "POST /**", fault: latency, milliseconds: [0, 15]}
  - {route: "PUT /**", fault: latency, milliseconds: [0, 15]}
  - {route: "POST /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "PUT /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "POST /**", fault: status, status: 502, after_commit: true, probability: 0.01}
  - {route: "PUT /**", fault: status, status: 502, after_commit: true, probability: 0.01}
  - {route: "POST /**", fault: reset, probability: 0.01}
  - {route: "PUT /**", fault: reset, probability: 0.01}
`;

interface Kills {
  count: number;
  /** Returns the milliseconds until the next kill. */
  delayMs(): number;
}

/**
 * Kills the run of a source, or the only run of the account, and its resumes, and resumes it to its end. Returns the number
 * of kills. A run that was killed before it sent anything starts again, and is killed later.
 */
async function runWithKills(
  { boh, json, env }: ServedSandbox,
  command: readonly string[],
  source: string | undefined,
  { count, delayMs }: Kills,
): Promise<number> {
  let line = command;
  let output = '';
  for (let [attempts, kills, extraMs] = [0, 0, 0]; attempts < 40; attempts++) {
    const isKilled = kills < count && (await killAfter(delayMs() + extraMs, line, env));
    const result = isKilled ? undefined : await boh(...line);
    // Broken connections and rows of unknown outcome stop a run, which can then be resumed.
    if (result) expect([0, 8, 9], result.stderr).toContain(result.exitCode);
    const runs: { id: string; source: string; state: string }[] = await json('runs', 'list');
    const run = runs.find((listed) => source === undefined || listed.source === source);
    if (result?.exitCode === 0 || run?.state === 'finished') return kills;
    if (run?.state === 'unfinished') line = ['runs', 'resume', run.id];
    if (isKilled && run) kills++;
    else extraMs += 200;
    output = `${result?.stdout.slice(-1000)}${result?.stderr} ${JSON.stringify(run)}`;
  }
  throw new Error(`The run doesn't end: ${output}`);
}

const rowCount = isSoak ? 400 : 200;
const rowValues = <Value>(createValue: (index: number) => Value) =>
  Array.from({ length: rowCount }, (_, index) => createValue(index));

interface ImportCase {
  line: string[];
  /** Returns the text of a file, whose rows contain the prefix. */
  text(prefix: string): string;
  /** SQL queries whose results are compared with `expected`: numbers of rows, or sums of a field. */
  counts(prefix: string): string[];
  expected: number[];
}

const customers = (prefix: string) =>
  `name,phone\n${rowValues((index) => `${prefix}-${index},88${index}`).join('\n')}\n`;
const countsOfCustomers = (prefix: string) => [
  `SELECT count(DISTINCT name) AS count FROM customers WHERE name LIKE '${prefix}-%'`,
  `SELECT count(*) AS count FROM customers WHERE name LIKE '${prefix}-%'`,
];

const imports: Record<string, ImportCase> = {
  'by a key': {
    line: ['customers', '--key', 'name'],
    text: customers,
    counts: countsOfCustomers,
    expected: [rowCount, rowCount],
  },
  // Rows are identified by all their values.
  'without a key': {
    line: ['customers', '--mode', 'create'],
    text: customers,
    counts: countsOfCustomers,
    expected: [rowCount, rowCount],
  },
  // The ledger stores these rows without PINs: a resumed run reads the PINs from the file again.
  'of users with their PINs': {
    line: ['users', '--key', 'email'],
    text: (prefix) =>
      `name,email,lang,pin\n${rowValues((index) => `${prefix} ${index},${prefix}-${index}@users.example,en,${20_000 + index}\n`).join('')}`,
    counts: (prefix) => [
      `SELECT count(*) AS count FROM users WHERE name LIKE '${prefix} %'`,
      `SELECT sum(pin) AS count FROM users WHERE name LIKE '${prefix} %'`,
    ],
    expected: [rowCount, rowValues((index) => 20_000 + index).reduce((sum, pin) => sum + pin)],
  },
};

test.concurrent.for(Object.entries(imports))(
  'import %s, killed repeatedly: loses no row and creates no duplicate',
  { timeout: repetitionsTimeoutMs },
  async (
    [
      name,
      {
        line: [resource = '', ...flags],
        text,
        counts,
        expected,
      },
    ],
    { onTestFinished },
  ) => {
    const kills = repetitions(2);
    const draw = randomNumbers(name.length);
    const account = await serveSandbox({ faults, onTestFinished });
    let killCount = 0;
    for (let file = 0; killCount < kills; file++) {
      const source = `${file}.csv`;
      const prefix = `F${file}x`;
      writeFileSync(join(account.config, source), text(prefix));
      const line = [resource, 'import', join(account.config, source), ...flags, '--yes'];
      killCount += await runWithKills(account, line, source, {
        count: Math.min(kills - killCount, 4),
        delayMs: () => 200 + draw() * 1500,
      });
      const totals = counts(prefix).map((sql) => Number(account.row(sql).count));
      expect(totals).toEqual(expected);
    }
    reportTried({ tried: `${killCount} kills`, seed: name.length });
  },
);

interface HistoryEntry {
  number: number;
  outcome: string;
  ids: string[];
  request: { body: { name: string } };
  error: { message: string } | null;
}

test.concurrent(
  'history of an import that is killed and resumed: has each row once as done, unsent writes as refused, and no open entry',
  async ({ onTestFinished }) => {
    const account = await serveSandbox({ onTestFinished });
    const { config, json } = account;
    const draw = randomNumbers(3);
    const kills = repetitions(2);
    let killCount = 0;
    for (let round = 0; killCount < kills; round++) {
      const source = `R${round}.csv`;
      writeFileSync(join(config, source), customers(`R${round}`));
      const line = ['customers', 'import', join(config, source), '--mode', 'create', '--yes'];
      killCount += await runWithKills(account, line, source, {
        count: Math.min(kills - killCount, 4),
        delayMs: () => 250 + draw() * 400,
      });
      const [{ id }] = await json('runs', 'list');
      const entries: HistoryEntry[] = await json('history', '--run', id);
      const done = entries.filter(({ outcome }) => outcome === 'done');
      expect(new Set(done.map(({ request }) => request.body.name)).size).toBe(rowCount);
      expect(done).toHaveLength(rowCount);
      expect(new Set(done.map(({ ids }) => ids[0])).size).toBe(rowCount);
      // The entry of a write that was planned but never sent has this error.
      for (const { outcome, error } of entries.filter((entry) => entry.outcome !== 'done'))
        expect([outcome, error?.message]).toEqual(['refused', 'It was not sent before its process ended.']);
    }
    const numbers = (await json('history')).map(({ number }: HistoryEntry) => number).reverse();
    expect(numbers).toEqual(numbers.map((_: number, index: number) => index + 1));
    expect(await json('history', 'verify')).toMatchObject({ intact: true, problems: [] });
    reportTried({ tried: `${killCount} kills`, seed: 3 });
  },
  repetitionsTimeoutMs,
);

const itemHeader =
  'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,cost,category';

/** Returns a CSV file of items whose costs are 1, 2, 3 … times the factor. */
const items = (prefix: string, count: number, factor: number) =>
  Array.from(
    { length: count },
    (_, index) =>
      `${prefix}-${index},${prefix} ${index},kg,g,1000,fixed cost,${(index + 1) * factor},Vegetables`,
  );

const noKills: Kills = { count: 0, delayMs: () => 0 };

test.concurrent(
  'undo killed repeatedly: restores every price, each once',
  async ({ onTestFinished }) => {
    const kills = repetitions(2, 204);
    const draw = randomNumbers(11);
    const account = await serveSandbox({ faults, onTestFinished });
    const { config, json, row } = account;
    const count = 200;
    const sum = () => row("SELECT sum(cost) AS sum FROM inventory_items WHERE sku LIKE 'KP-%'").sum;
    const sums = { right: (count * (count + 1)) / 2, wrong: (count * (count + 1) * 100) / 2 };
    for (const factor of [1, 100]) {
      const source = `prices-${factor}.csv`;
      writeFileSync(join(config, source), [itemHeader, ...items('KP', count, factor)].join('\n'));
      const line = ['inventory-items', 'import', join(config, source), '--key', 'sku', '--yes'];
      await runWithKills(account, line, source, noKills);
    }
    expect(sum()).toBe(sums.wrong);
    let killCount = 0;
    // Each round undoes the previous run, so the prices alternate between right and wrong.
    for (let round = 0; killCount < kills; round++) {
      const [{ id: lastRun }] = await json('runs', 'list');
      killCount += await runWithKills(account, ['undo', lastRun, '--yes'], lastRun, {
        count: Math.min(kills - killCount, 4),
        delayMs: () => 400 + draw() * 1200,
      });
      expect(sum()).toBe(round % 2 === 0 ? sums.right : sums.wrong);
      const [newestEntry] = await json('history', '--limit', '1');
      expect(newestEntry.takes_back).toBe(lastRun);
    }
    expect(await json('history', 'verify')).toMatchObject({ intact: true });
    reportTried({ tried: `${killCount} kills`, seed: 11 });
  },
  repetitionsTimeoutMs,
);

test.concurrent(
  'change run killed repeatedly: begins and returns each set once',
  async ({ onTestFinished }) => {
    const kills = repetitions(4, 300);
    // Limits the kills of each step, so that a soak has many begins and returns.
    const killsPerStep = 6;
    const draw = randomNumbers(13);
    const account = await serveSandbox({ faults, onTestFinished });
    const { config, env, boh, json, row } = account;
    const count = 80;
    const sums = { before: (count * (count + 1)) / 2, during: (count * (count + 1) * 3) / 2 };
    const readState = () => {
      const { sum, created } = row(
        `SELECT sum(cost) FILTER (WHERE sku LIKE 'OLD-%') AS sum, count(*) FILTER (WHERE sku LIKE 'NEW-%') AS created
         FROM inventory_items WHERE deleted_at IS NULL`,
      );
      return [sum, created];
    };
    const file = join(config, 'items.csv');
    writeFileSync(file, [itemHeader, ...items('OLD', count, 1)].join('\n'));
    const line = ['inventory-items', 'import', file, '--key', 'sku', '--yes'];
    await runWithKills(account, line, 'items.csv', noKills);
    let killCount = 0;
    const runUntil = async (name: string, state: string) => {
      for (let stepKills = 0; ; ) {
        // A killed run waits 3 s for its last requests when it is resumed. Some kills must come after that wait.
        const shouldKill = killCount < kills && stepKills < killsPerStep;
        if (shouldKill && (await killAfter(400 + draw() ** 2 * 6000, ['change', 'run'], env))) {
          killCount++;
          stepKills++;
        } else await boh('change', 'run');
        const sets: { name: string; state: string; reason: string | null }[] = await json('change', 'list');
        const changeSet = sets.find((listed) => listed.name === name);
        if (changeSet?.state === state) return changeSet;
      }
    };
    const currentSecond = () => new Date().toISOString().slice(0, 19).replace('T', ' ');
    const zone = ['--timezone', 'UTC', '--yes'];
    for (let round = 0; killCount < kills; round++) {
      const [name, prefix] = [`round ${round}`, `NEW-${round}`];
      writeFileSync(file, [itemHeader, ...items('OLD', count, 3), ...items(prefix, count, 1)].join('\n'));
      const source = ['--import', file, '--key', 'sku', 'inventory-items', '--at', currentSecond()];
      const createResult = await boh('change', 'create', name, ...source, '--until', '2999-01-01', ...zone);
      expect(createResult.exitCode, createResult.stderr).toBe(0);
      await runUntil(name, 'active');
      expect(readState()).toEqual([sums.during, count]);
      await sleep(1100);
      const editResult = await boh('change', 'edit', name, '--until', currentSecond(), ...zone);
      expect(editResult.exitCode, editResult.stderr).toBe(0);
      expect((await runUntil(name, 'ended')).reason).toBeNull();
      expect(readState()).toEqual([sums.before, 0]);
    }
    expect(await json('history', 'verify')).toMatchObject({ intact: true });
    reportTried({ tried: `${killCount} kills of begin and return`, seed: 13 });
  },
  repetitionsTimeoutMs * 2,
);

/** The manifest has a thousand records in a soak, and two hundred otherwise. */
const sizes = isSoak
  ? { items: 700, suppliers: 100, groups: 100, linksPerSupplier: 3 }
  : { items: 140, suppliers: 20, groups: 20, linksPerSupplier: 3 };

/** Returns a manifest of records that depend on each other: items with tags and categories, and their suppliers. */
function createManifest(prefix: string): string {
  const createList = <Value>(count: number, createItem: (index: number) => Value) =>
    Array.from({ length: count }, (_, index) => createItem(index));
  return JSON.stringify({
    suppliers: createList(sizes.suppliers, (index) => ({
      name: `${prefix} supplier ${index}`,
      code: `${prefix}-S${index}`,
      items: createList(sizes.linksPerSupplier, (linkIndex) => ({
        item: `${prefix}-${(index * sizes.linksPerSupplier + linkIndex) % sizes.items}`,
        order_unit: 'box',
        order_to_storage_factor: linkIndex + 1,
      })),
    })),
    'inventory-items': createList(sizes.items, (index) => ({
      sku: `${prefix}-${index}`,
      name: `Item ${index}`,
      storage_unit: 'kg',
      ingredient_unit: 'g',
      storage_to_ingredient_factor: 1000,
      costing_method: 'fixed cost',
      category: `${prefix}-C${index % sizes.groups}`,
      tags: [`${prefix} tag ${index % sizes.groups}`],
    })),
    'inventory-item-categories': createList(sizes.groups, (index) => ({
      name: `${prefix} category ${index}`,
      reference: `${prefix}-C${index}`,
    })),
    tags: createList(sizes.groups, (index) => ({
      name: `${prefix} tag ${index}`,
      type: 'inventory item',
    })),
  });
}

const manifestCounts = (prefix: string) =>
  [
    [`inventory_items WHERE sku LIKE '${prefix}-%'`, sizes.items],
    [`suppliers WHERE code LIKE '${prefix}-%'`, sizes.suppliers],
    [`tags WHERE name LIKE '${prefix} %'`, sizes.groups],
    [`inventory_item_categories WHERE reference LIKE '${prefix}-%'`, sizes.groups],
    [
      `suppliers_items l JOIN suppliers s ON s.id = l.from_id WHERE s.code LIKE '${prefix}-%'`,
      sizes.suppliers * sizes.linksPerSupplier,
    ],
  ] as const;

test.concurrent(
  'apply killed repeatedly and applied again: loses no record and creates no duplicate',
  async ({ onTestFinished }) => {
    const kills = repetitions(1, 50);
    const { config, env, boh, row } = await serveSandbox({ faults, onTestFinished });
    let killCount = 0;
    for (let fileIndex = 0; killCount < kills; fileIndex++) {
      const prefix = `M${fileIndex}x`;
      const source = join(config, `${fileIndex}.json`);
      writeFileSync(source, createManifest(prefix));
      const line = ['apply', source, '--yes', '-q'];
      for (let isFinished = false; !isFinished; ) {
        // Kills later each time, so that each attempt makes progress.
        const ms = 600 + ((killCount * 397) % (isSoak ? 2300 : 300));
        if (killCount < kills && (await killAfter(ms, line, env))) killCount++;
        else isFinished = (await boh(...line)).exitCode === 0;
      }
      for (const [from, expected] of manifestCounts(prefix))
        expect([from, row(`SELECT count(*) AS count FROM ${from}`).count]).toEqual([from, expected]);
      expect((await boh('diff', source)).exitCode).toBe(0);
    }
    reportTried({ tried: `${killCount} kills of an apply of 1,000 records` });
  },
  repetitionsTimeoutMs,
);

/** The tables of records and of links whose rows a restore must restore. */
const restoredTables = [
  ...['customers', 'addresses', 'tags', 'roles', 'suppliers', 'inventory_items', 'modifiers', 'groups'],
  'suppliers_items JOIN suppliers ON suppliers.id = from_id',
  'inventory_items_ingredients JOIN inventory_items ON inventory_items.id = from_id',
  'customers_tags JOIN customers ON customers.id = from_id',
];

test.concurrent(
  'restore killed repeatedly: loses no record, creates no duplicate, and restores every link',
  async ({ onTestFinished }) => {
    const kills = repetitions(2, 60);
    const source = await serveSandbox({ onTestFinished });
    const backup = join(source.config, 'backup');
    await source.boh('backup', backup);
    const countsIn = ({ row }: ServedSandbox) =>
      restoredTables.map((table) => row(`SELECT count(*) AS count FROM ${table} WHERE deleted_at IS NULL`));
    const draw = randomNumbers(17);
    let [killCount, restores] = [0, 0];
    for (; killCount < kills; restores++) {
      const account = await serveSandbox({ faults, isEmpty: true, onTestFinished });
      const line = ['backup', 'restore', backup, '--same-references', '--yes'];
      killCount += await runWithKills(account, line, undefined, {
        count: Math.min(kills - killCount, 4),
        delayMs: () => 600 + draw() * 1200,
      });
      expect(countsIn(account)).toEqual(countsIn(source));
    }
    reportTried({ tried: `${killCount} kills while ${restores} restores were sending`, seed: 17 });
  },
  repetitionsTimeoutMs,
);

test.concurrent(
  'backup killed at any moment: leaves the old or the new backup, and the next one is complete',
  async () => {
    const env = { BOH_CONFIG_DIR: mkdtempSync(join(home, 'backups-')) };
    copyDemoBusiness(env.BOH_CONFIG_DIR);
    const boh = (...line: string[]) => runLine(['--sandbox', ...line], { env });
    const target = join(env.BOH_CONFIG_DIR, 'backup');
    expect((await boh('backup', target)).exitCode).toBe(0);
    const startedAt = performance.now();
    await killAfter(repetitionsTimeoutMs, ['--sandbox', 'backup', target], env);
    let usualMs = performance.now() - startedAt;
    const kills = repetitions(3);
    const draw = randomNumbers(11);
    let [killCount, oldCount] = [0, 0];
    for (let round = 0; killCount < kills; round++) {
      const name = `Round ${round}`;
      await boh('tags', 'create', '--name', name, '--type', 'order');
      const before = readFileSync(join(target, 'manifest.json'), 'utf8');
      const line = ['backup', target, ...(round % 2 === 0 ? ['--since-last'] : [])];
      if (await killAfter(usualMs * (0.2 + draw() * 0.9), ['--sandbox', ...line], env)) killCount++;
      else usualMs *= 0.8;
      expect([round, (await boh('backup', 'verify', target)).exitCode]).toEqual([round, 0]);
      const text = readFileSync(join(target, 'manifest.json'), 'utf8');
      const { resources } = JSON.parse(text) as { resources: { resource: string; file: string }[] };
      const tags = resources.find(({ resource }) => resource === 'tags')?.file ?? '';
      const hasNewTag = readFileSync(join(target, tags), 'utf8').includes(`"${name}"`);
      expect([round, hasNewTag]).toEqual([round, text !== before]);
      if (!hasNewTag) oldCount++;
    }
    expect((await boh('backup', target, '--since-last')).exitCode).toBe(0);
    expect((await boh('backup', 'verify', target, '--json')).stdout).not.toContain('.ndjson');
    reportTried({ tried: `${kills} kills of a backup, ${oldCount} times the old one was left`, seed: 11 });
  },
  repetitionsTimeoutMs,
);
