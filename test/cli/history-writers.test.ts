/** Kills writers of a history, runs several at once, and fills the disk. The history must stay complete and in order. */
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { killAfter } from '../harness/kill-after.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, repetitionsTimeoutMs, reportTried } from '../harness/repetitions.ts';
import { runLine } from '../harness/run-line.ts';
import { type ServedSandbox, serveSandbox } from '../harness/served-sandbox.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-history-writers-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Writes a CSV file of new customers whose names begin with the prefix, and returns its path. */
function writeCustomersFile(prefix: string, count: number): string {
  const file = join(folder, `${prefix}.csv`);
  const rows = Array.from({ length: count }, (_, index) => `${prefix} ${index},55${index}`);
  writeFileSync(file, ['name,phone', ...rows].join('\n'));
  return file;
}

interface HistoryEntry {
  number: number;
  run: string;
  outcome: string;
  ids: string[];
  request: { body: { name: string } };
  error: { message: string } | null;
}

/** Returns the entries, oldest first. */
const entriesOf = async ({ json }: ServedSandbox, ...line: string[]): Promise<HistoryEntry[]> =>
  (await json('history', ...line)).reverse();

const expectConsecutive = (entries: readonly HistoryEntry[]) =>
  expect(entries.map(({ number }) => number)).toEqual(entries.map((_, index) => index + 1));

describe('history of an import that is killed and resumed', () => {
  test(
    'records each row once as done and unsent writes as refused, and leaves no entry open',
    async () => {
      const account = await serveSandbox();
      const draw = randomNumbers(3);
      const kills = repetitions(3);
      let killCount = 0;
      for (let round = 0; killCount < kills; round++) {
        const prefix = `R${round}`;
        const file = writeCustomersFile(prefix, 400);
        let line = ['customers', 'import', file, '--mode', 'create', '--yes'];
        for (let isFinished = false; !isFinished; ) {
          const ms = 250 + draw() * 400;
          if (killCount < kills && (await killAfter(ms, line, account.env))) killCount++;
          else isFinished = (await account.boh(...line)).exitCode === 0;
          const runs = await account.json('runs', 'list');
          const run = runs.find(({ source }: { source: string }) => source === `${prefix}.csv`);
          if (run?.state === 'unfinished') line = ['runs', 'resume', run.id];
          isFinished ||= run?.state === 'finished';
        }
        const [{ id }] = await account.json('runs', 'list');
        const entries = await entriesOf(account, '--run', id);
        const done = entries.filter(({ outcome }) => outcome === 'done');
        expect(new Set(done.map(({ request }) => request.body.name)).size).toBe(400);
        expect(done).toHaveLength(400);
        expect(new Set(done.map(({ ids }) => ids[0])).size).toBe(400);
        // The entry of a write that was planned but never sent has this error.
        const unsentEntries = entries.filter(({ outcome }) => outcome !== 'done');
        for (const { outcome, error } of unsentEntries)
          expect([outcome, error?.message]).toEqual(['refused', 'It was not sent before its process ended.']);
      }
      expectConsecutive(await entriesOf(account));
      expect(await account.json('history', 'verify')).toMatchObject({ intact: true, problems: [] });
      reportTried({ tried: `${killCount} kills`, seed: 3 });
    },
    repetitionsTimeoutMs,
  );
});

describe('history with several writers at once', () => {
  test.each([2, 8])('%i writers: lose and interleave nothing, and verify finds no gap', async (count) => {
    const account = await serveSandbox();
    const rows = 60;
    const prefixes = Array.from({ length: count }, (_, index) => `P${count}x${index}`);
    const lines = prefixes.flatMap((prefix) => [
      ['customers', 'import', writeCustomersFile(prefix, rows), '--mode', 'create', '--yes', '--quiet'],
      ['customers', 'create', '--name', `${prefix} single`, '--phone', '1', '--quiet'],
    ]);
    const results = await Promise.all(lines.map((line) => spawnBoh(line, { env: account.env })));
    expect(results.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual(lines.map(() => [0, '']));
    const entries = await entriesOf(account);
    expect(entries).toHaveLength(count * (rows + 1));
    expectConsecutive(entries);
    for (const { outcome, ids } of entries) expect([outcome, ids.length]).toEqual(['done', 1]);
    // Each run contains exactly its own rows, in file order.
    const byRun = Map.groupBy(entries, ({ run }) => run);
    const namesByRun = [...byRun.values()].map((runEntries) =>
      runEntries.map(({ request }) => request.body.name),
    );
    const expectedNames = prefixes.flatMap((prefix) => [
      Array.from({ length: rows }, (_, index) => `${prefix} ${index}`),
      [`${prefix} single`],
    ]);
    expect(namesByRun.map((names) => names.toSorted()).sort()).toEqual(
      expectedNames.map((names) => names.toSorted()).sort(),
    );
    expect(await account.json('history', 'verify')).toMatchObject({
      intact: true,
      entries: entries.length,
      problems: [],
    });
  });
});

describe('history on a full disk', () => {
  const update = ['suppliers', 'update', 'supplier-1', '--phone'];
  const warning =
    /The history \S+\/history\.sqlite can't grow: the disk is full\. Writes are sent, but not recorded in it\./;

  test.for([
    ['a history with entries', true],
    ['a new history', false],
  ] as const)(
    '%s: reported before the write is sent, and the write is sent anyway',
    async ([, hasEntries], { skip }) => {
      const disk = mountSmallDisk(2048);
      if (disk === undefined) return skip(needsRoot);
      const account = await serveSandbox();
      // Only the history is on the full disk: a run needs its other files.
      symlinkSync(disk.path, join(account.config, 'accounts'));
      const withoutBefore = { BOH_HISTORY_BEFORE: 'off' };
      const boh = (line: readonly string[], env = {}) =>
        runLine(line, { env: { ...account.env, ...withoutBefore, ...env } });
      if (hasEntries) expect((await boh([...update, '1'])).exitCode).toBe(0);
      disk.fill();
      const result = await boh([...update, '2', '--verbose']);
      expect(result.exitCode, result.stderr).toBe(0);
      const messages = result.stderr.split('\n');
      const index = messages.findIndex((line) => warning.test(line));
      expect(index, result.stderr).toBeGreaterThanOrEqual(0);
      expect(messages.findIndex((line) => line.startsWith('PUT '))).toBeGreaterThan(index);
      expect(messages.filter((line) => line.includes('disk is full'))).toHaveLength(1);
      expect((await account.json('suppliers', 'get', 'supplier-1')).phone).toBe('2');
      // A run of many rows also reports it only once.
      const file = writeCustomersFile(`full ${hasEntries}`, 30);
      const line = ['customers', 'import', file, '--mode', 'create', '--yes', '--no-ledger'];
      const run = await boh(line);
      expect(run.exitCode, run.stderr).toBe(0);
      expect(run.stderr.match(/the disk is full/g)).toHaveLength(1);
      // With a required history nothing is sent.
      const requiredResult = await boh([...update, '3', '--verbose'], { BOH_HISTORY_REQUIRED: 'true' });
      expect(requiredResult.exitCode).toBe(8);
      expect(requiredResult.stderr).toContain('Nothing was sent: history.required is on.');
      expect(requiredResult.stderr).not.toMatch(/^PUT /m);
      expect((await account.json('suppliers', 'get', 'supplier-1')).phone).toBe('2');
      // When the disk has space again, the history continues and verifies.
      disk.empty();
      expect((await boh([...update, '4'])).exitCode).toBe(0);
      const entries = await entriesOf(account);
      expectConsecutive(entries);
      expect(entries).toHaveLength(hasEntries ? 2 : 1);
      expect(await account.json('history', 'verify')).toMatchObject({ intact: true, problems: [] });
      expect(readdirSync(disk.path).filter((name) => name.startsWith('.'))).toEqual([]);
    },
  );
});
