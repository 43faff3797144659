import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runLine } from '../harness/run-line.ts';
import { quotedProgram } from '../harness/spawn-boh.ts';
import { openTerminal, terminalTest } from '../harness/terminal.ts';
import { phones, scene } from './locked-scene.ts';
import { serveBoh } from './served-boh.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-resumed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

interface Result {
  key: string;
  action: string;
  outcome: string;
  error: { category: string; message: string } | null;
}

/** Serves a sandbox, and starts runs that stop at their third write. */
async function stage() {
  const config = mkdtempSync(join(folder, 'config-'));
  const served = await serveBoh(['--name', 'resumed'], { BOH_CONFIG_DIR: config });
  const env = {
    BOH_CONFIG_DIR: config,
    BOH_BASE_URL: served.base_url,
    BOH_TOKEN: served.token,
    BOH_HISTORY_BEFORE: 'on',
  };
  const boh = (...line: string[]) => runLine(line, { env });
  const json = async (...line: string[]) => JSON.parse((await boh(...line, '--json')).stdout);
  const faults = (...line: string[]) => boh('sandbox', 'faults', ...line, '--name', 'resumed');
  const file = (name: string, text: string) => {
    writeFileSync(join(config, name), text);
    return join(config, name);
  };
  return {
    boh,
    json,
    file,
    /** Runs a command without the history, as changes in the web console are. */
    elsewhere: (...line: string[]) => runLine(line, { env: { ...env, BOH_HISTORY_JOURNAL: 'off' } }),
    /** Starts a run that stops, and returns its id. */
    async broken(...line: string[]): Promise<string> {
      const rules = ['POST /**', 'PUT /**', 'DELETE /**'].map((route) => ({
        route,
        fault: 'status',
        status: 403,
        nth: [3],
      }));
      await faults('set', ...rules.flatMap((rule) => ['--rule', JSON.stringify(rule)]));
      const ended = await boh(...line, '--yes', '--concurrency', '1');
      expect([ended.exitCode, ended.stderr]).toEqual([4, expect.stringContaining('boh runs resume')]);
      await faults('clear');
      return (await json('runs', 'list'))[0].id;
    },
    async resumed(run: string): Promise<{ exitCode: number | null; stderr: string; results: Result[] }> {
      const ran = await boh('runs', 'resume', run, '-o', 'ndjson', '--verbose');
      const lines = ran.stdout.split('\n').filter((each) => each !== '');
      return { exitCode: ran.exitCode, stderr: ran.stderr, results: lines.map((each) => JSON.parse(each)) };
    },
  };
}

const header =
  'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method,cost,category';
const skus = Array.from({ length: 8 }, (_, at) => `RS-${at}`);
const prices = (factor: number) =>
  [
    header,
    ...skus.map((sku, at) => `${sku},Item ${sku},kg,g,1000,fixed cost,${(at + 1) * factor},Vegetables`),
  ].join('\n');

type Stage = Awaited<ReturnType<typeof stage>>;

async function costs({ json }: Stage): Promise<Record<string, number>> {
  const found: { sku: string; cost: number }[] = await json(
    'inventory-items',
    'list',
    '--sku',
    skus.join(','),
  );
  return Object.fromEntries(found.map(({ sku, cost }) => [sku, cost]));
}

const puts = (stderr: string) => stderr.match(/^PUT /gm)?.length ?? 0;

async function priced(place: Stage, factor: number): Promise<void> {
  const line = ['inventory-items', 'import', place.file('prices.csv', prices(factor)), '--key', 'sku'];
  expect((await place.boh(...line, '--yes')).exitCode).toBe(0);
}

test('runs resume of an undo: skips records that another user has changed, names the user, and sends the rest', async () => {
  const place = await stage();
  await priced(place, 1);
  await priced(place, 100);
  const [{ id: wrong }] = await place.json('runs', 'list');
  const run = await place.broken('undo', wrong);
  const before = await costs(place);
  const open = skus.filter((sku, at) => before[sku] === (at + 1) * 100);
  expect(open).toHaveLength(6);
  const [byHand = '', elsewhere = '', right = ''] = open;
  await place.boh('inventory-items', 'update', `@${byHand}`, '--cost', '7');
  await place.elsewhere('inventory-items', 'update', `@${elsewhere}`, '--cost', '8');
  const cost = skus.indexOf(right) + 1;
  await place.boh('inventory-items', 'update', `@${right}`, '--cost', `${cost}`);
  const { exitCode, results, stderr } = await place.resumed(run);
  expect(exitCode).toBe(9);
  const of = (sku: string) => results.find(({ key }) => key.includes(`Item ${sku}”`));
  expect(of(byHand)).toMatchObject({ outcome: 'failed', error: { category: 'partial' } });
  expect(of(byHand)?.error?.message).toMatch(
    /^Cost left unchanged: it was changed since the run was planned, by .*entry \d+ \(boh inventory-items update @RS-\d --cost 7\) at .* UTC\.$/,
  );
  expect(of(elsewhere)?.error?.message).toMatch(/, by someone else at .* UTC\.$/);
  expect(of(right)).toMatchObject({ action: 'skip', outcome: 'done' });
  expect(results).toHaveLength(6);
  expect(puts(stderr)).toBe(3);
  const wanted = Object.fromEntries(skus.map((sku, at) => [sku, at + 1]));
  expect(await costs(place)).toEqual({ ...wanted, [byHand]: 7, [elsewhere]: 8 });
  expect((await place.json('runs', 'list'))[0]).toMatchObject({ state: 'finished', failed: 2, done: 6 });
});

test('runs resume of an undo: keeps the field that was changed, and restores the other fields of its record', async () => {
  const place = await stage();
  const ids: string[] = (await place.json('suppliers', 'list', '--limit', '4')).map(
    ({ id }: { id: string }) => id,
  );
  const before = await place.json('suppliers', 'list', '--limit', '4');
  await place.boh('suppliers', 'update', ...ids, '--phone', '1', '--code', 'A', '--yes');
  const run = await place.broken('undo', '--last');
  const now: { id: string; phone: string }[] = await place.json('suppliers', 'list', '--limit', '4');
  const [open = { id: '' }, gone = { id: '' }] = now.filter(({ phone }) => phone === '1');
  await place.boh('suppliers', 'update', open.id, '--code', 'B');
  await place.boh('suppliers', 'delete', gone.id, '--yes');
  const { exitCode, results } = await place.resumed(run);
  expect(exitCode).toBe(9);
  expect(results.map(({ outcome, error }) => [outcome, error?.message])).toEqual(
    expect.arrayContaining([
      ['failed', expect.stringMatching(/^Code left unchanged: it was changed since/)],
      ['failed', 'Left unchanged: it is deleted.'],
      ['done', undefined],
    ]),
  );
  const { phone } = before.find(({ id }: { id: string }) => id === open.id);
  expect(await place.json('suppliers', 'get', open.id)).toMatchObject({ phone, code: 'B' });
  expect(await place.json('suppliers', 'get', gone.id)).toMatchObject({ phone: '1' });
});

test('runs resume of an import: skips records that another user has changed, unless --stale overwrite is given', async () => {
  const place = await stage();
  for (const [factor, flags, left] of [
    [10, [], 1],
    [20, ['--stale', 'overwrite'], 0],
  ] as const) {
    await priced(place, 1);
    const line = ['inventory-items', 'import', place.file('new.csv', prices(factor)), '--key', 'sku'];
    const run = await place.broken(...line, ...flags);
    await place.boh('inventory-items', 'update', '@RS-5', '--cost', '3.5');
    const { exitCode, results } = await place.resumed(run);
    expect(exitCode).toBe(left === 1 ? 9 : 0);
    expect(results.filter(({ outcome }) => outcome === 'failed').map(({ key }) => key)).toEqual(
      left === 1 ? ['RS-5'] : [],
    );
    const wanted = Object.fromEntries(skus.map((sku, at) => [sku, (at + 1) * factor]));
    expect(await costs(place)).toEqual(left === 1 ? { ...wanted, 'RS-5': 3.5 } : wanted);
  }
});

test('runs resume of an import: creates nothing that another user has created meanwhile', async () => {
  const place = await stage();
  const line = ['inventory-items', 'import', place.file('new.csv', prices(1)), '--key', 'sku'];
  const run = await place.broken(...line);
  expect(Object.keys(await costs(place))).toHaveLength(2);
  const byHand = ['--storage-unit', 'kg', '--ingredient-unit', 'g', '--storage-to-ingredient-factor', '1000'];
  const more = ['--name', 'By hand', '--costing-method', 'fixed cost', '--cost', '9'];
  expect((await place.boh('inventory-items', 'create', '--sku', 'RS-5', ...byHand, ...more)).exitCode).toBe(
    0,
  );
  const { exitCode, results } = await place.resumed(run);
  expect(exitCode).toBe(9);
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ key }) => key)).toEqual(['RS-5']);
  expect(failed[0]?.error?.message).toMatch(
    /^Left unchanged: the inventory item \w+ with its key was created since the run was planned, by .*entry \d+ \(boh/,
  );
  const wanted = Object.fromEntries(skus.map((sku, at) => [sku, at + 1]));
  expect(await costs(place)).toEqual({ ...wanted, 'RS-5': 9 });
  expect(await place.json('inventory-items', 'list', '--sku', skus.join(','))).toHaveLength(8);
});

test('runs resume of an apply: skips what another user has changed or deleted since its plan', async () => {
  const place = await stage();
  await priced(place, 1);
  const items = skus.map((sku, at) => `  - sku: ${sku}\n    cost: ${(at + 1) * 10}\n`).join('');
  const manifest = place.file('items.yaml', `inventory_items:\n${items}`);
  const saved = place.file('items.plan', '');
  await place.boh('plan', manifest, '--out', saved);
  const run = await place.broken('apply', '--plan', saved);
  await place.boh('inventory-items', 'update', '@RS-6', '--cost', '3.5');
  const { exitCode, results } = await place.resumed(run);
  expect(exitCode).toBe(9);
  expect(results.filter(({ outcome }) => outcome === 'failed').map(({ key }) => key)).toEqual(['RS-6']);
  const wanted = Object.fromEntries(skus.map((sku, at) => [sku, (at + 1) * 10]));
  expect(await costs(place)).toEqual({ ...wanted, 'RS-6': 3.5 });
});

test('runs resume of a run over a filter: writes nothing that is already so, and deletes no changed record', async () => {
  const place = await stage();
  for (const name of ['Zed 1', 'Zed 2', 'Zed 3', 'Zed 4', 'Zed 5', 'Zed 6'])
    await place.boh('suppliers', 'create', '--name', name, '--contact-name', 'Nobody');
  const there = () => place.json('suppliers', 'list', '--name', 'Zed');
  const deletion = await place.broken('suppliers', 'delete', '--where', 'name=Zed');
  const [changed, gone, ...others] = await there();
  expect(others).toHaveLength(2);
  await place.boh('suppliers', 'update', changed.id, '--contact-name', 'Another');
  await place.boh('suppliers', 'delete', gone.id, '--yes');
  const deleted = await place.resumed(deletion);
  expect([deleted.exitCode, deleted.results.length]).toEqual([9, 4]);
  expect(deleted.results.map(({ error }) => error?.message).join('')).toMatch(
    /^Contact_name left unchanged: /,
  );
  expect((await there()).map(({ id }: { id: string }) => id)).toEqual([changed.id]);
  const restoring = await place.broken('suppliers', 'restore', '--where', 'name=Zed');
  expect(await there()).toHaveLength(3);
  const restored = await place.resumed(restoring);
  expect([restored.exitCode, restored.results.length, puts(restored.stderr)]).toEqual([0, 3, 3]);
  expect(await there()).toHaveLength(6);
});

test('runs resume --dry-run: says what is left to do, and changes nothing', async () => {
  const place = await stage();
  await priced(place, 1);
  const run = await place.broken(
    ...['inventory-items', 'import', place.file('new.csv', prices(10)), '--key', 'sku'],
  );
  const before = await costs(place);
  const planned = await place.boh('runs', 'resume', run, '--dry-run', '-o', 'ndjson');
  expect([planned.exitCode, planned.stdout.trim().split('\n').length]).toEqual([0, 6]);
  expect(await costs(place)).toEqual(before);
  expect((await place.json('runs', 'list'))[0]).toMatchObject({ state: 'unfinished', to_go: 6 });
  expect((await place.resumed(run)).exitCode).toBe(0);
  expect((await costs(place))['RS-7']).toBe(80);
});

terminalTest('runs resume on a terminal: the progress counts the rows that were sent before', async () => {
  const { service, start, files, found, env } = await scene();
  const first = service.delay(/^POST \/customers/);
  const killed = start('customers', 'import', files.a, '--key', 'phone', '--yes', '--concurrency', '4');
  await first.waiting(4);
  killed.kill('SIGKILL');
  await killed.ended;
  first.release();
  const rest = service.delay(/^POST \/customers/);
  const terminal = openTerminal(`${quotedProgram} runs resume "$(${quotedProgram} runs list -o id)"`, {
    env,
  });
  await terminal.shows(`0 of ${phones.length}`);
  rest.release();
  expect(await terminal.ended()).toBe(0);
  expect(await found()).toEqual([...phones].sort());
});
