/** Reads the files of earlier builds in test/fixtures, and continues their unfinished work. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBudgetFile } from '../../src/pace/budget-file.ts';
import { earlierHome, earlierVersions } from '../harness/earlier-home.ts';
import { runLine } from '../harness/run-line.ts';
import { serveBoh } from './served-boh.ts';

// boh deletes old ledgers and history entries. The fixed time keeps those of the fixtures.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-24T12:00:00Z') }));
afterEach(() => void vi.useRealTimers());

type Row = Record<string, unknown>;

function openEarlierFiles(version: string, account: Record<string, string> = {}) {
  const folder = earlierHome(version);
  const config = join(folder, 'home');
  const env = { BOH_CONFIG_DIR: config, ...account };
  const path = (name: string) => join(folder, name);
  const boh = async (...line: string[]) => {
    const result = await runLine(line, { env });
    expect([result.exitCode, result.stderr]).toEqual([0, result.stderr]);
    expect(result.stderr).not.toMatch(/warning:/i);
    return result;
  };
  const rows = async (...line: string[]): Promise<Row[]> => {
    const { stdout } = await boh(...line, '-o', 'ndjson');
    return stdout
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text));
  };
  return {
    config,
    env,
    path,
    boh,
    rows,
    json: async (...line: string[]) => JSON.parse((await boh(...line, '--json')).stdout),
  };
}

const namesOf = (rows: readonly Row[]) => rows.map(({ name }) => name).sort();

describe.each(earlierVersions)('files written by %s', (version) => {
  test('settings: profiles, their tokens and their views are read', async () => {
    const { rows, boh } = openEarlierFiles(version);
    expect(await rows('profiles', 'list')).toMatchObject([
      { name: 'cafe', active: true, sandbox: 'cafe', signed_in: false, colour: 'green' },
      { name: 'live', base_url: 'https://api.example.com', signed_in: true, protected: true },
    ]);
    expect((await boh('config', 'get', 'rate', '--profile', 'live')).stdout).toContain('60/min');
    expect((await boh('suppliers', 'list', '--view', 'farms', '-o', 'csv')).stdout).toBe(
      'name,code\r\nFresh Farms,FF\r\n',
    );
  });

  test('sandbox: opens with its records, and its snapshot can be restored', async () => {
    const { rows, boh, json } = openEarlierFiles(version);
    expect(namesOf(await rows('suppliers', 'list'))).toEqual(['Fresh Farms', 'Old Mill', 'Sea Trade']);
    expect(namesOf(await rows('tags', 'list'))).toEqual(['Late', 'Seafood', 'Seasonal']);
    expect(await json('inventory-items', 'get', '@TOM-01')).toMatchObject({
      name_localized: 'طماطم',
      cost: 4.25,
    });
    await boh('sandbox', 'check', '--name', 'cafe');
    await boh('sandbox', 'snapshot', 'restore', 'before', '--name', 'cafe', '--yes');
    expect(namesOf(await rows('tags', 'list'))).toEqual(['Seafood', 'Seasonal']);
    await boh('tags', 'create', '--name', 'New', '--type', '3');
    expect(namesOf(await rows('tags', 'list'))).toEqual(['New', 'Seafood', 'Seasonal']);
  });

  test('runs: an interrupted import is listed and resumed, and creates each row once', async () => {
    const files = openEarlierFiles(version);
    const { base_url: baseUrl, token } = await serveBoh(['--name', 'cafe'], { BOH_CONFIG_DIR: files.config });
    const env = { ...files.env, BOH_BASE_URL: baseUrl, BOH_TOKEN: token };
    const runServed = (...line: string[]) => runLine(line, { env });
    const [run = {}, ...otherRuns] = await files.rows('runs', 'list');
    expect(run).toMatchObject({
      command: 'customers import',
      state: 'unfinished',
      rows: 8,
      done: 3,
      unknown: 2,
      to_go: 3,
    });
    expect(otherRuns).toMatchObject([
      { command: 'undo', state: 'finished', done: 1 },
      { command: 'apply', state: 'finished', done: 10 },
    ]);
    const id = String(run.id);
    // The base URL has changed since.
    const refusedResult = await runServed('runs', 'resume', id);
    expect([refusedResult.exitCode, refusedResult.stderr]).toEqual([
      2,
      expect.stringContaining('another account'),
    ]);
    const ledgerRows = await runServed('runs', 'show', id, '--any-account', '-o', 'ndjson');
    const outcomes = ledgerRows.stdout
      .split('\n')
      .flatMap((text) => (text === '' ? [] : JSON.parse(text).outcome));
    expect(outcomes.join(' ')).toBe('done done done unknown unknown not_sent not_sent not_sent');
    const resumeResult = await runServed('runs', 'resume', id, '--any-account', '--yes', '--verbose');
    expect([resumeResult.exitCode, resumeResult.stderr.match(/^POST \/customers/gm)]).toEqual([
      0,
      Array.from({ length: 4 }, () => 'POST /customers'),
    ]);
    const customers = namesOf(await files.rows('customers', 'list', '--name', 'Row'));
    expect(customers).toEqual(Array.from({ length: 8 }, (_, row) => `Row ${row + 1}`));
    expect((await files.rows('runs', 'list'))[0]).toMatchObject({
      id,
      state: 'finished',
      done: 8,
      unknown: 0,
    });
  });

  test('history: is intact, and its writes can be shown, undone and redone', async () => {
    const { json, rows, boh } = openEarlierFiles(version);
    expect(await json('history', 'verify')).toMatchObject({ intact: true, entries: 19, lost: [] });
    const entries = await rows('history', '--all');
    expect(entries.map(({ verb }) => verb)).toEqual([
      ...['create', 'update', 'update', 'delete', 'update', 'update', 'update', 'create', 'create'],
      ...['link-item', ...Array.from({ length: 9 }, () => 'create')],
    ]);
    expect(await json('history', 'show', '18')).toMatchObject({
      command: 'boh suppliers update "@Old Mill" --code OM-2',
      before: { code: 'OM' },
      after: { code: 'OM-2' },
    });
    await boh('undo', '18', '--yes');
    expect(await json('suppliers', 'get', '@Old Mill')).toMatchObject({ code: 'OM' });
    await boh('undo', '16', '--yes');
    expect(namesOf(await rows('suppliers', 'list'))).toContain('Closed Kitchen');
    await boh('redo', String(entries.find(({ number }) => number === 15)?.run), '--yes');
    expect(await json('suppliers', 'get', '@Old Mill')).toMatchObject({ email: 'mill@example.com' });
    expect(await json('history', 'verify')).toMatchObject({ intact: true, entries: 22 });
  });

  test('change sets: a planned change set can be shown, edited, started and ended', async () => {
    const { boh, json } = openEarlierFiles(version);
    const phone = () => json('suppliers', 'get', '@Fresh Farms', '--query', 'phone');
    expect(await json('change', 'list')).toMatchObject([
      { name: 'season', state: 'planned', at: '2999-02-08 01:00:00', timezone: 'Asia/Riyadh' },
    ]);
    expect((await json('change', 'show', 'season')).changes).toMatchObject([
      { key: 'Fresh Farms', changes: { phone: { from: '', to: '5559999' } }, changed_since: null },
    ]);
    await boh('change', 'edit', 'season', '--at', '2026-11-25 10:00', '--until', '2026-11-26 10:00');
    vi.setSystemTime(new Date('2026-11-25T07:00:00Z'));
    expect(await json('change', 'run')).toMatchObject([{ act: 'begin', outcome: 'done' }]);
    expect(await phone()).toBe('5559999');
    vi.setSystemTime(new Date('2026-11-26T07:00:00Z'));
    expect(await json('change', 'run')).toMatchObject([{ act: 'return', outcome: 'done' }]);
    expect(await phone()).toBe('');
  });

  test('mirror: answers queries, and the next sync reads only the changes', async () => {
    const { json, rows, boh } = openEarlierFiles(version);
    const query = (sql: string) => json('mirror', 'query', sql);
    expect(await query('select name, code from suppliers where deleted_at is null order by name')).toEqual([
      { name: 'Fresh Farms', code: 'FF' },
      { name: 'Old Mill', code: 'OM-2' },
      { name: 'Sea Trade', code: 'ST' },
    ]);
    expect(await query('select cost from inventory_items where cost > 2')).toEqual([{ cost: 4.25 }]);
    expect(namesOf(await rows('suppliers', 'list', '--mirror', '--name', 'mill'))).toEqual(['Old Mill']);
    await boh('suppliers', 'delete', '@Sea Trade', '--yes');
    const synced = await rows('mirror', 'sync');
    expect(synced.filter(({ whole }) => whole)).toEqual([]);
    expect(await query('select count(*) as n from customers')).toEqual([{ n: 6 }]);
    expect(await query('select name from suppliers where deleted_at is not null order by 1')).toEqual([
      { name: 'Closed Kitchen' },
      { name: 'Sea Trade' },
    ]);
  });

  test('apply --plan: applies a saved plan', async () => {
    const { boh, json, rows, path } = openEarlierFiles(version);
    await boh('apply', '--plan', path('wanted.plan'), '--yes');
    expect(namesOf(await rows('tags', 'list'))).toEqual(['Late', 'Planned', 'Seafood', 'Seasonal']);
    expect(await json('suppliers', 'get', '@Sea Trade')).toMatchObject({ phone: '5559999' });
  });

  test('apply --plan: applies the saved plan of an import', async () => {
    const { boh, rows, path } = openEarlierFiles(version);
    const { stderr } = await boh('apply', '--plan', path('import.plan'), '--yes');
    expect(stderr).toMatch(/^The file new-tags\.csv: 1 tag \(1 to create\)\.$/m);
    expect(namesOf(await rows('tags', 'list'))).toEqual(['From a plan', 'Late', 'Seafood', 'Seasonal']);
  });

  test('backup: is verified, restored with deleted records, and updated', async () => {
    const { boh, rows, json, path, env } = openEarlierFiles(version);
    for (const folder of ['first', 'nightly']) await boh('backup', 'verify', path(folder));
    await boh('suppliers', 'update', '@Old Mill', '--code', 'changed');
    await boh('restore-from', path('nightly'), '--yes');
    expect(await json('suppliers', 'get', '@Old Mill')).toMatchObject({ code: 'OM-2' });
    await boh('backup', path('nightly'), '--since-last');
    const verified = await rows('backup', 'verify', path('nightly'));
    expect(verified.find(({ resource }) => resource === 'customers')).toMatchObject({
      records: 6,
      problem: null,
    });
    await runLine(['sandbox', 'reset', '--empty', '--yes', '--name', 'other'], { env });
    const otherOptions = { env: { ...env, BOH_SANDBOX: 'other' } };
    const restoreResult = await runLine(
      [
        '--sandbox',
        'restore-from',
        path('first'),
        '--with-deleted',
        '--any-account',
        '--same-references',
        '--yes',
      ],
      otherOptions,
    );
    expect([restoreResult.exitCode, restoreResult.stderr]).toEqual([0, restoreResult.stderr]);
    const list = ['--sandbox', 'suppliers', 'list', '--is-deleted', '-o', 'ndjson'];
    expect((await runLine(list, otherOptions)).stdout).toContain('Closed Kitchen');
  });

  test('export: continues from its checkpoint', async () => {
    const { boh, path } = openEarlierFiles(version);
    await boh('suppliers', 'create', '--name', 'Later');
    const target = path('changed.ndjson');
    await boh('suppliers', 'export', '--since', path('suppliers.state'), '--to', target);
    const names = readFileSync(target, 'utf8')
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text).name);
    // The time just before the last export is read again, because clocks of two servers may differ.
    expect(names).toContain('Later');
    expect(readFileSync(path('suppliers.state'), 'utf8')).toContain('"until": "2026-11-24');
  });

  test('rate limit: the limit that a service announced is kept', () => {
    const file = join(openEarlierFiles(version).config, 'cache', 'pace.sqlite');
    const database = new DatabaseSync(file);
    const [limit] = database.prepare('SELECT key FROM limits').all();
    database.close();
    const budget = openBudgetFile(file);
    expect(budget.limitOf(String(limit?.key), Date.now()).limit).toEqual({
      maxRequests: 90,
      windowMs: 60_000,
    });
    budget.close();
  });
});
