/** Fills a disk in the middle of a run, and checks that done rows are reported and that undo restores or names them. */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BohResult, failureOf, runBoh } from '../harness/run-boh.ts';
import { mountSmallDisk, needsRoot } from '../harness/small-disk.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();

interface Supplier {
  id: string;
  name: string;
  phone: string | null;
  deleted_at: string | null;
}

/** Serves suppliers from memory. Calls `onWrite` with the number of each write before the response is sent. */
async function serveSuppliers(onWrite: (count: number) => void) {
  const records: Supplier[] = [];
  let writeCount = 0;
  const respond = (method: string, url: URL, body: string): unknown => {
    const record = records.find(({ id }) => url.pathname === `/suppliers/${id}`);
    if (url.pathname === '/whoami') return { user: { id: 'me' }, business: { id: 'b', name: 'B' } };
    if (method !== 'GET') onWrite(++writeCount);
    if (method === 'POST') {
      records.push({ id: `s-${records.length + 1}`, phone: null, ...JSON.parse(body), deleted_at: null });
      return records.at(-1);
    }
    if (record && method === 'PUT') return Object.assign(record, JSON.parse(body));
    if (record && method === 'DELETE') record.deleted_at = '2026-11-20 08:00:00';
    if (record) return record;
    const ids = url.searchParams.get('filter[id]')?.split(',');
    const page = Number(url.searchParams.get('page') ?? 1);
    const isListed = ({ id, deleted_at }: Supplier) =>
      (ids?.includes(id) ?? true) &&
      (deleted_at === null || url.searchParams.get('filter[is_deleted]') === 'true');
    return records.filter(isListed).slice((page - 1) * 50, page * 50);
  };
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const data = respond(request.method ?? '', url, await text(request));
    response.setHeader('content-type', 'application/json');
    response.end(request.method === 'DELETE' ? '' : JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { records, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Returns the number of printed rows with this outcome. */
function countOutcome({ stdout }: BohResult, outcome: string): number {
  const rows = stdout.split('\n').filter((line) => line.startsWith('{"'));
  return rows.filter((line) => JSON.parse(line).outcome === outcome).length;
}

describe.for([20, 150, 400])('a disk that is full from write %i on', (firstFailingWrite) => {
  test('import: reports the done rows, and its undo deletes or names every record', async ({ skip }) => {
    const disk = mountSmallDisk(12 * 1024);
    if (disk === undefined) return skip(needsRoot);
    const { records, baseUrl } = await serveSuppliers((count) => count === firstFailingWrite && disk.fill());
    const file = join(newFolder(), 'rows.csv');
    writeFileSync(file, `name\n${Array.from({ length: 700 }, (_, index) => `S${index}`).join('\n')}\n`);
    const env = { BOH_CONFIG_DIR: join(disk.path, 'boh'), BOH_TOKEN: 'a-token', BOH_BASE_URL: baseUrl };
    const boh = (...line: string[]) => runBoh(line, { env });

    const result = await boh('suppliers', 'import', file, '--mode', 'create', '--yes');
    expect([result.exitCode, countOutcome(result, 'done')]).toEqual([8, records.length]);
    expect(records.length).toBeGreaterThanOrEqual(firstFailingWrite);
    expect(failureOf(result)).toMatchObject({
      message: expect.stringContaining(
        `${records.length} rows are done; ${700 - records.length} rows are left`,
      ),
      outcome: 'unknown',
    });
    expect(result.stderr).not.toMatch(/nothing was (changed|sent|done)/i);

    disk.empty();
    const [run] = JSON.parse((await boh('runs', 'list', '-o', 'json')).stdout);
    const undoResult = await boh('undo', run.id, '--yes');
    const deleted = records.filter(({ deleted_at }) => deleted_at !== null).length;
    expect(countOutcome(undoResult, 'done')).toBe(deleted);
    // The ledger could not record the last outcomes: undo names these records by their history entries.
    expect(countOutcome(undoResult, 'failed')).toBeGreaterThanOrEqual(records.length - deleted);
    expect(undoResult.exitCode).toBe(deleted === records.length ? 0 : 9);
    expect(records.length - deleted).toBeLessThan(50);
  });
});

/** Imports 150 suppliers while the disk has space, and returns the ID of the run. */
async function importSuppliers(env: Record<string, string>): Promise<string> {
  const file = join(newFolder(), 'rows.csv');
  writeFileSync(file, `name\n${Array.from({ length: 150 }, (_, index) => `S${index}`).join('\n')}\n`);
  const result = await runBoh(['suppliers', 'import', file, '--mode', 'create', '--yes'], { env });
  expect([result.exitCode, result.stderr]).toEqual([0, expect.any(String)]);
  return JSON.parse((await runBoh(['runs', 'list', '-o', 'json'], { env })).stdout)[0].id;
}

describe('a disk that fills up in the middle of a run', () => {
  const manifest = () => {
    const file = join(newFolder(), 'a.json');
    const suppliers = Array.from({ length: 150 }, (_, index) => ({ name: `S${index}`, phone: '7' }));
    writeFileSync(file, JSON.stringify({ suppliers }));
    return file;
  };

  test.for([
    ['suppliers update --where', () => ['suppliers', 'update', '--where', 'name=S', '--phone', '7']],
    ['apply', () => ['apply', manifest()]],
    ['undo', (run: string) => ['undo', run]],
  ] as const)('%s: reports exactly the rows that were done', async ([, argumentsFor], { skip }) => {
    const disk = mountSmallDisk(12 * 1024);
    if (disk === undefined) return skip(needsRoot);
    const { records, baseUrl } = await serveSuppliers((count) => count === 180 && disk.fill());
    const env = { BOH_CONFIG_DIR: join(disk.path, 'boh'), BOH_TOKEN: 'a-token', BOH_BASE_URL: baseUrl };
    const line = argumentsFor(await importSuppliers(env));
    const result = await runBoh([...line, '--yes'], { env });
    const changedCount = records.filter(
      ({ phone, deleted_at }) => phone === '7' || deleted_at !== null,
    ).length;
    expect([result.exitCode, changedCount]).toEqual([8, countOutcome(result, 'done')]);
    expect(changedCount).toBeGreaterThanOrEqual(30);
    expect(failureOf(result)).toMatchObject({
      message: expect.stringContaining(`${changedCount} rows are done`),
      outcome: changedCount === 150 ? 'done' : 'unknown',
    });
    expect(result.stderr).not.toMatch(/nothing was (changed|sent|done)/i);
  });
});
