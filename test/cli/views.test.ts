import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { spawnBoh } from '../harness/spawn-boh.ts';

const demo = startDemo();
afterAll(() => demo.remove());

const save =
  'views save low-stock inventory-items list --costing-method fixed-cost --columns name,par_level --limit 3';
const configFile = join(demo.folder, 'config', 'config.json');

describe('a saved view', () => {
  beforeAll(async () => {
    const saveResult = await demo.boh(save);
    expect([saveResult.exitCode, saveResult.stdout]).toEqual([0, '']);
    expect(saveResult.stderr).toBe(
      'View "low-stock" saved: boh --sandbox inventory-items list --costing-method fixed-cost --limit 3 --columns name,par_level\n',
    );
  });

  test('adds its flags to the list; flags of the command take precedence', async () => {
    const items = await demo.json<Record<string, unknown>[]>('inventory-items list --view low-stock');
    expect(items).toHaveLength(3);
    expect(Object.keys(items[0] ?? {})).toEqual(['name', 'par_level']);
    const overridden = await demo.json<Record<string, unknown>[]>(
      'inventory-items list --view low-stock --columns sku --limit 4',
    );
    expect(overridden).toHaveLength(4);
    expect(Object.keys(overridden[0] ?? {})).toEqual(['sku']);
    const plan = await demo.json<{ url: string }>('inventory-items list --view low-stock --dry-run');
    expect(plan.url).toContain('filter[costing_method]=1');
  });

  test('is listed, shown as a command line, and completed for its resource', async () => {
    expect(await demo.json('views list')).toMatchObject([{ name: 'low-stock', resource: 'inventory_items' }]);
    const showResult = await demo.boh('views show low-stock -o table');
    expect(showResult.stdout).toContain('boh inventory-items list --costing-method fixed-cost');
    const complete = async (...words: string[]) =>
      (await demo.boh(`__complete fish = --sandbox ${words.join(' ')}`)).stdout;
    expect(await complete('inventory-items', 'list', '--view')).toContain('low-stock');
    expect(await complete('customers', 'list', '--view')).not.toContain('low-stock');
    expect(await complete('views', 'show')).toContain('low-stock');
  });

  test('is replaced only with --yes, and deleted by name', async () => {
    const refusedResult = await demo.boh('views save low-stock suppliers --name x');
    expect(refusedResult.exitCode).toBe(2);
    expect(refusedResult.stderr).toContain('add --yes');
    expect((await demo.boh('views save other suppliers --name fresh')).exitCode).toBe(0);
    expect((await demo.boh('views save other suppliers --name fresh,y --yes')).exitCode).toBe(0);
    expect((await demo.boh('views delete other')).exitCode).toBe(0);
    expect((await demo.boh('views delete other')).exitCode).toBe(2);
  });

  test('of another resource or an unknown name: is an error', async () => {
    const otherResult = await demo.boh('suppliers list --view low-stock');
    expect(otherResult.exitCode).toBe(2);
    expect(otherResult.stderr).toContain('is for inventory-items, not suppliers');
    const unknownResult = await demo.boh('inventory-items list --view low-stok');
    expect(unknownResult.stderr).toContain('Did you mean "low-stock"?');
  });

  test('with a filter that no longer exists: is refused, and the list does not run without the filter', async () => {
    const config = JSON.parse(readFileSync(configFile, 'utf8'));
    config.views['low-stock'].flags['--costing-methd'] = '1';
    writeFileSync(configFile, JSON.stringify(config));
    const result = await demo.boh('inventory-items list --view low-stock');
    expect(result.exitCode).toBe(2);
    expect(result.stdout).toBe('');
    expect(result.stderr).toContain('no longer has: --costing-methd; did you mean "--costing-method"?');
    delete config.views['low-stock'].flags['--costing-methd'];
    writeFileSync(configFile, JSON.stringify(config));
  });

  test.each([
    ['views save x suppliers', 'Missing the flags to save'],
    ['views save x nothing', 'Unknown resource "nothing"'],
    ['views save ../x suppliers --name y', 'contains only letters'],
    ['views save x suppliers get --name y', 'not get'],
    ['views save x inventory-counts --status clsed', 'did you mean "closed"?'],
    ['views save x suppliers --columns nme', 'has no column'],
    ['views save x whoami --name y', '--name'],
  ])('%s: is refused', async (line, message) => {
    const result = await demo.boh(line);
    expect(result.exitCode).toBe(2);
    expect(result.stderr).toContain(message);
  });
});

test('views: belong to one profile, and change nothing else in it', async () => {
  const env = {
    HOME: demo.folder,
    BOH_CONFIG_DIR: join(demo.folder, 'config'),
    XDG_DATA_HOME: join(demo.folder, 'data'),
  };
  const boh = (...line: string[]) => spawnBoh(line, { env });
  for (const name of ['one', 'two']) {
    expect((await boh('profiles', 'add', name, '--sandbox')).exitCode).toBe(0);
  }
  const before = JSON.parse(readFileSync(configFile, 'utf8'));
  const saveResult = await boh('views', 'save', 'mine', 'taxes', '--columns', 'name', '--profile', 'one');
  expect(saveResult.exitCode).toBe(0);
  expect((await boh('taxes', 'list', '--view', 'mine', '--profile', 'one')).exitCode).toBe(0);
  expect((await boh('taxes', 'list', '--view', 'mine', '--profile', 'two')).exitCode).toBe(2);
  expect((await boh('views', 'delete', 'mine', '--profile', 'one')).exitCode).toBe(0);
  const after = JSON.parse(readFileSync(configFile, 'utf8'));
  expect(after.profiles.one).toEqual({ ...before.profiles.one, views: {} });
  expect(after.profiles.two).toEqual(before.profiles.two);
});
