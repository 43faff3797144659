import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { accountFile } from '../harness/account-folder.ts';
import { runBoh } from '../harness/run-boh.ts';
import { home, quotedProgram, spawnBoh } from '../harness/spawn-boh.ts';
import { keys, openTerminal, terminalTest as test } from '../harness/terminal.ts';

const perPage = 50;
const pages = 5;

/** Starts a service that returns each page of customers after a delay, and returns its URL. */
async function serveSlowly(ms: number): Promise<string> {
  let queue: Promise<unknown> = Promise.resolve();
  const server = createServer(async ({ url = '' }, response) => {
    const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
    const isList = url.startsWith('/customers') && !url.includes('updated_after');
    if (isList) {
      queue = queue.then(() => setTimeout(ms));
      await queue;
    }
    const data = Array.from({ length: isList ? perPage : 0 }, (_, index) => ({
      id: `customer-${page}-${index}`,
      name: 'Huda',
      tags: [],
      addresses: [],
      updated_at: '2026-01-01 00:00:00',
    }));
    const total = isList ? perPage * pages : 0;
    const meta = { current_page: page, last_page: isList ? pages : 1, per_page: perPage, total };
    const whoami = { data: { user: { id: 'u' }, business: { id: 'b' } } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(url.startsWith('/whoami') ? whoami : { data, meta }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a slow sync and diff: show progress and end with a table', async () => {
  const env = {
    BOH_CONFIG_DIR: join(home, 'far'),
    BOH_MIRROR: `sqlite:${join(home, 'far.sqlite')}`,
    BOH_BASE_URL: await serveSlowly(700),
    BOH_TOKEN: 'a-token-of-a-test',
  };
  const sync = openTerminal(`exec ${quotedProgram} mirror sync --resource customers`, { env });
  await sync.waitFor(`of ${perPage * pages}`);
  expect(await sync.waitFor('Mirror:')).toMatch(/customers +250 +0 {2}yes/);
  expect(await sync.ended()).toBe(0);
  const diff = openTerminal(`exec ${quotedProgram} mirror diff --resource customers`, { env });
  expect(await diff.waitFor(`of ${perPage * pages}`)).toContain('Reading customers: ');
  expect(await diff.ended()).toBe(0);
});

test.each([
  [
    'mirror sync --resource customers',
    'The records that were read are in the mirror. To continue: boh mirror sync',
  ],
  ['backup nightly --resource customers', 'The backup is incomplete. To start again: boh backup nightly'],
])('%s when interrupted: reports the synced data and how to continue', async (line, message) => {
  const env = {
    BOH_CONFIG_DIR: join(home, 'interrupted'),
    BOH_MIRROR: `sqlite:${join(home, 'interrupted.sqlite')}`,
    BOH_BASE_URL: await serveSlowly(700),
    BOH_TOKEN: 'a-token-of-a-test',
  };
  const terminal = openTerminal(`cd '${home}' && exec ${quotedProgram} ${line}`, { env });
  await terminal.waitFor('Reading customers');
  terminal.types(keys.ctrlC);
  expect(await terminal.ended()).toBe(130);
  expect(terminal.text()).toContain(message);
  expect(terminal.text()).toContain('Interrupted.');
});

test('mirror status on a terminal: prints a table and the whole error of a resource', async () => {
  const env = { BOH_CONFIG_DIR: join(home, 'status') };
  await spawnBoh(['--sandbox', 'mirror', 'sync', '--resource', 'customers,tags'], { env });
  const status = openTerminal(`exec ${quotedProgram} --sandbox mirror status --resource tags,taxes`, { env });
  expect(await status.waitFor('Mirror:')).toMatch(/taxes +0 +– {2}–\s+tags +18 {2}\d+ seconds? {2}–/);
  const file = accountFile(env.BOH_CONFIG_DIR, 'mirror.sqlite');
  const reason = `The reason is ${'at length '.repeat(12)}to its end.`;
  const database = new DatabaseSync(file);
  database.prepare('UPDATE mirror_state SET last_error = ?').run(reason);
  database.close();
  const failed = openTerminal(`exec ${quotedProgram} --sandbox mirror status --resource tags,customers`, {
    env,
  });
  expect((await failed.waitFor('Mirror:')).replaceAll(/\s+/g, ' ')).toContain(`customers, tags: ${reason}`);
});
test('mirror schema and query on a terminal: are paged if they are longer than the window', async () => {
  const env = { BOH_CONFIG_DIR: join(home, 'paged'), PAGER: 'less', LESS: 'FRX' };
  await spawnBoh(['--sandbox', 'mirror', 'sync', '--resource', 'customers'], { env });
  for (const words of ['mirror schema', 'mirror query "select id, name from customers"']) {
    const paged = openTerminal(`exec ${quotedProgram} --sandbox ${words}`, { env });
    await paged.waitFor('\n:');
    paged.types('q');
    expect(await paged.ended()).toBe(0);
  }
});
test('mirror schema into a pipe: prints SQL', async () => {
  const env = { BOH_CONFIG_DIR: join(home, 'piped') };
  const pipedResult = await spawnBoh(['mirror', 'schema', '--resource', 'tags', '--to', 'sqlite:x'], { env });
  expect(pipedResult.stdout).toMatch(/^CREATE TABLE IF NOT EXISTS "tags"/);
});

test('a query for all columns: shows IDs in full, and names the columns that do not fit', async () => {
  const env = { BOH_CONFIG_DIR: join(home, 'whole') };
  await spawnBoh(['--sandbox', 'mirror', 'sync', '--resource', 'customers'], { env });
  const { stdout } = await spawnBoh(['--sandbox', 'mirror', 'query', 'select id from customers', '--json'], {
    env,
  });
  const ids = (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
  const line = '--sandbox mirror query "select * from customers" --no-pager';
  const terminal = openTerminal(`exec ${quotedProgram} ${line}`, { env });
  expect(await terminal.ended()).toBe(0);
  for (const id of ids) expect(terminal.text()).toContain(`${id} `);
  expect(terminal.text().replaceAll(/\s+/g, ' ')).toContain('Hidden columns:');
});

test('mirror schema --dbt: prints sources with tests of keys and relations as YAML', async () => {
  const words = ['mirror', 'schema', '--dbt', '--resource', 'users,roles', '--to', 'sqlite:x'];
  const { sources } = parse((await runBoh(words)).stdout);
  const table = sources[0].tables.find(({ name }: { name: string }) => name === 'users_branches');
  const tests = Object.fromEntries(
    table.columns.map((column: Record<string, unknown>) => [column.name, column.tests]),
  );
  expect(tests).toEqual({
    id: ['unique', 'not_null'],
    user_id: [{ relationships: { to: "source('boh', 'users')", field: 'id' } }],
    branch_id: [
      { relationships: { to: "source('boh', 'branches')", field: 'id', config: { severity: 'warn' } } },
    ],
  });
  const { stdout } = await runBoh([...words.filter((word) => word !== '--dbt'), '--json']);
  expect(JSON.parse(stdout).flatMap(({ relations }: { relations: unknown[] }) => relations)).toContainEqual({
    child: 'users_branches',
    column: 'branch_id',
    parent: 'branches',
    parent_column: 'id',
  });
});
