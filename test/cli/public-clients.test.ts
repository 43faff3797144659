/** Public clients of the service run against `boh sandbox serve --like foodics-v5` without changes. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Plugin, rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { temporaryFolders } from '../settings/temporary-folder.ts';
import { serveBoh } from './served-boh.ts';

const newFolder = temporaryFolders();
const run = promisify(execFile);
const serve = () =>
  serveBoh(
    ['--memory', '--like', 'foodics-v5', '--variant', 'wire.requests_per_minute=0'],
    {},
    { isStrict: false },
  );

/** Installs a package into a new folder; returns undefined if the registry isn't reachable. */
async function install(name: string, version: string): Promise<string | undefined> {
  const folder = newFolder();
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', `${name}@${version}`];
  try {
    await run('npm', args, { cwd: folder });
    return folder;
  } catch {
    return undefined;
  }
}

async function runClient(program: string, args: readonly string[]): Promise<Record<string, unknown>> {
  const file = join(import.meta.dirname, 'programs', program);
  const { stdout } = await run(process.execPath, [file, ...args]);
  return JSON.parse(stdout);
}

test('foodics-node: every call that the service has succeeds', async ({ skip }) => {
  const folder = await install('foodics-node', '0.1.1');
  if (folder === undefined) return skip("foodics-node can't be installed: the registry isn't reachable");
  const { base_url: baseUrl, token } = await serve();
  const results = await runClient('foodics-node-client.cjs', [folder, baseUrl, token]);
  expect(results).toMatchObject({
    whoAmI: 'Saffron Table',
    branches: { page: 3, total: 3, all: 3, isSame: true },
    // Lists contain deleted records, and pages have at most 50.
    customers: { page: 50, total: 203, all: 203, isSame: true },
    orders: { page: 50, total: 222, all: 222, isSame: true },
    products: { page: 50, isSame: true },
    included: true,
    options: true,
    changed: ['Seasonal', 'SEASON-1'],
    customer: ['Noor', 966, false, 'Prefers a table outside'],
  });
});

/** One import of the package has another case than the folder, which only some file systems accept. */
const anyCase: Plugin = {
  name: 'any-case',
  resolveId: (source, importer) =>
    importer && source === './customers/Customers' ? join(importer, '..', 'Customers', 'Customers.ts') : null,
};

test('foodics: every call that the service has succeeds', async ({ skip }) => {
  const folder = await install('foodics', '1.0.0');
  if (folder === undefined) return skip("foodics can't be installed: the registry isn't reachable");
  const input = join(folder, 'node_modules', 'foodics', 'Foodics.ts');
  const bundle = await rolldown({
    input,
    plugins: [anyCase],
    platform: 'node',
    shimMissingExports: true,
    logLevel: 'silent',
  });
  const file = join(folder, 'bundle.mjs');
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  const { base_url: baseUrl, token } = await serve();
  expect(await runClient('foodics-client.mjs', [file, baseUrl, token])).toMatchObject({
    customers: { status: 200, count: 50, total: 203, isSame: true },
    products: { status: 200, count: 50, isSame: true },
    orders: { status: 200, count: 50, total: 222, isSame: true },
    byName: true,
    created: ['Rami', 'Home'],
    missing: expect.stringContaining('404'),
  });
});

test('a client that follows links.next: reads every record of a list without filters', async () => {
  const { base_url: baseUrl, token } = await serve();
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  interface ListBody {
    data: { id: string; deleted_at: string | null }[];
    links: { next: string | null };
    meta: { total: number; per_page: number; links: unknown[] };
  }
  const read = async (url: string) => (await (await fetch(url, { headers })).json()) as ListBody;
  const ids = new Set<string>();
  let [url, deletedCount]: [string | null, number] = [`${baseUrl}/v5/customers?per_page=5000`, 0];
  while (url !== null) {
    const { data, links, meta }: ListBody = await read(url);
    expect([meta.per_page, Array.isArray(meta.links)]).toEqual([50, true]);
    for (const { id, deleted_at: deletedAt } of data) {
      ids.add(id);
      if (deletedAt !== null) deletedCount++;
    }
    url = links.next;
  }
  expect([ids.size, deletedCount]).toEqual([203, 2]);
  const filtered = await read(`${baseUrl}/v5/customers?filter[has_orders]=true&include=tags`);
  expect(filtered.links.next).not.toContain('has_orders');
});
