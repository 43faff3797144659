/** Kills and resumes restores, and counts the records in the database of the sandbox; also restores with refused records. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyDemoBusiness, copyEmptyBusiness } from '../harness/demo-business.ts';
import { killAfter } from '../harness/kill-after.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { runLine } from '../harness/run-line.ts';
import { serveSandbox } from '../harness/served-sandbox.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-restore-kills-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const config = join(folder, 'config');
const env = { BOH_CONFIG_DIR: config };
const backup = join(folder, 'backup');

/** Delays responses, or drops them after the service has committed: the moments that a kill should hit. */
const faults = `
seed: 5
rules:
  - {route: "POST /**", fault: latency, milliseconds: [0, 12]}
  - {route: "POST /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "PUT /**", fault: reset, after_commit: true, probability: 0.02}
  - {route: "POST /**", fault: reset, probability: 0.01}
`;

const tables = [
  'customers',
  'addresses',
  'tags',
  'roles',
  'suppliers',
  'inventory_items',
  'modifiers',
  'groups',
];
/** Tables of links, each with the table of the records that have them. */
const links = {
  suppliers_items: 'suppliers',
  inventory_items_ingredients: 'inventory_items',
  customers_tags: 'customers',
};

/** Returns the numbers of active records and of their links in the database of a sandbox. */
function countsIn(sandbox: string): Record<string, number> {
  const database = new DatabaseSync(join(config, 'sandboxes', `${sandbox}.sqlite`), { readOnly: true });
  const count = (sql: string) => Number(database.prepare(sql).get()?.count);
  const counts = [
    ...tables.map((table) => [
      table,
      count(`SELECT count(*) AS count FROM ${table} WHERE deleted_at IS NULL`),
    ]),
    ...Object.entries(links).map(([linkTable, table]) => {
      const joined = `${linkTable} JOIN ${table} ON ${table}.id = from_id`;
      return [linkTable, count(`SELECT count(*) AS count FROM ${joined} WHERE deleted_at IS NULL`)];
    }),
  ];
  database.close();
  return Object.fromEntries(counts);
}

/** The numbers of records in the account of the backup. */
let expectedCounts: Record<string, number>;

beforeAll(async () => {
  copyDemoBusiness(config);
  await runLine(['--sandbox', 'backup', backup, '-q'], { env });
  expectedCounts = countsIn('default');
});

/** Serves a new empty sandbox with the given faults, and returns the environment for its account. */
async function serveEmpty(name: string, faults: string) {
  copyEmptyBusiness(config, name);
  return serveSandbox({ name, config, faults });
}

test(
  'restore killed repeatedly: loses no record, creates no duplicate, and restores every link',
  async () => {
    const kills = repetitions(3, 60);
    // Reading and planning take a varying time, but the kill should come while the restore sends.
    const draw = randomNumbers(17);
    let [killCount, account, firstDelayMs] = [0, 0, 600];
    for (; killCount < kills; account++) {
      const name = `kills-${account}`;
      const { env: accountEnv, boh, json, stop } = await serveEmpty(name, faults);
      let line = ['backup', 'restore', backup, '--same-references', '--yes'];
      for (let isFinished = false; !isFinished; ) {
        const isResuming = line[0] === 'runs';
        const delay = (isResuming ? 250 : firstDelayMs) + draw() * 1200;
        const isKilled = killCount < kills && (await killAfter(delay, line, accountEnv));
        if (!isKilled) isFinished = (await boh(...line)).exitCode === 0;
        const [run] = await json('runs', 'list');
        // If the run was killed before anything was sent, it starts again and is killed later.
        if (run?.state === 'unfinished') line = ['runs', 'resume', run.id];
        else if (isKilled && !isResuming) firstDelayMs += 300;
        if (isKilled && run?.state === 'unfinished') killCount++;
        isFinished ||= run?.state === 'finished' && isResuming;
      }
      const restoredCounts = countsIn(name);
      await stop();
      expect(restoredCounts).toEqual(expectedCounts);
    }
    reportTried({ tried: `${killCount} kills while ${account} restores were sending`, seed: 17 });
  },
  repetitionsTimeoutMs,
);

test('restore with a refused record: skips it and the records that depend on it, and continues', async () => {
  const faultPlan = 'rules:\n  - {route: "POST /tags", fault: status, status: 422, nth: [1]}\n';
  const { boh } = await serveEmpty('refusing', faultPlan);
  const line = ['backup', 'restore', backup, '--resource', 'tags,customers', '--concurrency', '1', '--yes'];
  const result = await boh(...line);
  expect(result.exitCode).toBe(9);
  const rows = result.stdout
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  const failed = rows.filter(({ outcome }) => outcome === 'failed');
  const [refusedRow, ...dependents] = failed;
  expect(refusedRow).toMatchObject({ resource: 'tags', id: null });
  const manifest = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
  const recordsOf = (resourceName: string) => {
    const { file } = manifest.resources.find(
      ({ resource }: { resource: string }) => resource === resourceName,
    );
    const text = readFileSync(join(backup, file), 'utf8').trimEnd();
    return text.split('\n').map((record) => JSON.parse(record));
  };
  const tag = recordsOf('tags').find(({ name }) => name === refusedRow.key).id;
  const dependentCustomers = recordsOf('customers').filter(
    ({ deleted_at, tags }) => deleted_at === null && tags.some(({ id }: { id: string }) => id === tag),
  );
  expect(dependents.length).toBe(dependentCustomers.length);
  expect(new Set(dependents.map(({ error }) => error.waited_for))).toEqual(
    new Set(dependents.length > 0 ? [`tags/${tag}`] : []),
  );
  expect(rows.filter(({ outcome }) => outcome === 'done')).toHaveLength(rows.length - failed.length);
});
