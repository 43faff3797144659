/** Runs at a service whose responses to creations contain ids of existing records, or no record. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { type FakeResponse, rowsIn, startFakeService } from './fake-service.ts';

const csv = 'name,code\nAda,A-1\nBo,B-1\nCy,C-1\n';
const importFlags = ['--key', 'code', '--yes', '--concurrency', '1'];

/** Starts a service with one record, "Old". `respondWith` makes the responses to writes from the id of that record. */
async function startWithOld(respondWith: (existingId: string) => FakeResponse) {
  let respond: FakeResponse = () => undefined;
  const service = await startFakeService((write) => respond(write));
  const existingId: string = service.client.post('/suppliers', { name: 'Old', code: 'O-1' }).json.data.id;
  respond = respondWith(existingId);
  return { ...service, existingId };
}

const asExisting =
  (existingId: string): FakeResponse =>
  ({ method, path, body }) =>
    method === 'POST' && path === '/suppliers'
      ? { status: 201, body: { data: { ...body, id: existingId } } }
      : undefined;

describe('creations whose responses all contain the id of an existing record', () => {
  test('import: no row counts as created, no row is sent again, and the exit code is 9', async () => {
    const { boh, addFile, writes, names, existingId } = await startWithOld(asExisting);
    const result = await boh('suppliers', 'import', addFile('s.csv', csv), ...importFlags);
    expect(result.exitCode).toBe(9);
    expect(result.stderr).toContain('3 with an unknown outcome.');
    expect(result.stderr).not.toContain('created');
    const rows = rowsIn(result);
    expect(rows.map(({ outcome, id }) => [outcome, id])).toEqual(Array(3).fill(['unknown', null]));
    expect(rows[1]?.error?.message).toContain(
      `The service returned the ID ${existingId}, which belongs to line 2, A-1.`,
    );
    expect(rows[0]?.error?.message).toContain(
      `returned the ID ${existingId}, and the same ID for line 3, B-1`,
    );
    expect([writes.length, names('/suppliers')]).toEqual([3, ['Old']]);
    // A resumed run doesn't send them again either.
    const [id = ''] = /runs resume (\S+)/.exec(result.stderr)?.slice(1) ?? [];
    const resumeResult = await boh('runs', 'resume', id, '--yes');
    expect([resumeResult.exitCode, writes.length]).toEqual([9, 3]);
  });

  test.each([
    ['the sent values', 'returned the same ID', asExisting],
    [
      'the values of the record',
      'its outcome and the created record are unknown',
      (existingId: string): FakeResponse =>
        ({ method, path }) =>
          method === 'POST' && path === '/suppliers'
            ? { status: 201, body: { data: { id: existingId, name: 'Old', code: 'O-1' } } }
            : undefined,
    ],
  ])('undo: keeps the existing record if the responses contain %s', async (_, reason, respondWith) => {
    const { boh, addFile, names, client, existingId } = await startWithOld(respondWith);
    await boh('suppliers', 'import', addFile('s.csv', csv), ...importFlags);
    const undoResult = await boh('undo', '--last', '--yes');
    expect(undoResult).toMatchObject({
      exitCode: 9,
      stderr: expect.stringContaining(reason),
    });
    expect(names('/suppliers')).toEqual(['Old']);
    expect(client.get(`/suppliers/${existingId}`).json.data.deleted_at).toBeNull();
  });

  test('undo of single creations: keeps the existing record, and prints the reason', async () => {
    const { boh, names, existingId } = await startWithOld(asExisting);
    for (const name of ['Ada', 'Bo']) await boh('suppliers', 'create', '--name', name);
    const undoResult = await boh('undo', '--since', '1h', '--yes');
    expect(undoResult.stdout + undoResult.stderr).toContain('returned the same ID');
    expect([undoResult.exitCode, names('/suppliers'), existingId]).toEqual([9, ['Old'], expect.any(String)]);
  });

  test('undo: does not delete a record that was updated before a creation returned its id', async () => {
    let isFaking = false;
    const service = await startFakeService(({ method, path }) =>
      isFaking && method === 'POST' && path === '/suppliers'
        ? { status: 201, body: { data: { id: existingId, phone: '1' } } }
        : undefined,
    );
    const existingId: string = service.client.post('/suppliers', { name: 'Old' }).json.data.id;
    await service.boh('suppliers', 'update', existingId, '--phone', '1');
    isFaking = true;
    await service.boh('suppliers', 'create', '--name', 'Ada');
    const undoResult = await service.boh('undo', '--last', '--yes');
    expect(undoResult.stdout + undoResult.stderr).toContain('wrote to it before it was created');
    expect(service.names('/suppliers')).toEqual(['Old']);
  });
});

describe('creations that succeed and return the id of another record', () => {
  /** Returns the response to the first creation for every later creation. */
  const returnFirst = (): FakeResponse => {
    let firstResponse: { status: number; body: string } | undefined;
    return ({ method, path, forward }) => {
      if (method !== 'POST' || path !== '/suppliers') return undefined;
      const response = forward();
      firstResponse ??= response;
      return firstResponse;
    };
  };

  test('import: each record is found by its key, and its row is done with its own id', async () => {
    const { boh, addFile, names } = await startFakeService(returnFirst());
    const result = await boh('suppliers', 'import', addFile('s.csv', csv), ...importFlags);
    expect([result.exitCode, names('/suppliers')]).toEqual([0, ['Ada', 'Bo', 'Cy']]);
    const ids = rowsIn(result).map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
    expect(result.stderr).toContain('3 created.');
  });

  test('apply: each record is found by its key, and its row is done with its own id', async () => {
    const { boh, addFile, names } = await startFakeService(returnFirst());
    const manifest = addFile('m.yaml', 'suppliers:\n  - name: Ada\n  - name: Bo\n');
    const result = await boh('apply', manifest, '--yes', '--concurrency', '1');
    expect([result.exitCode, names('/suppliers')]).toEqual([0, ['Ada', 'Bo']]);
    expect(new Set(rowsIn(result).map(({ id }) => id)).size).toBe(2);
  });
});

test('import: a response with the id of an existing row does not prove a new record', async () => {
  const { boh, addFile, existingId, names } = await startWithOld(asExisting);
  const rows = addFile('s.csv', 'name,code\nOlder,O-1\nAda,A-1\n');
  const result = await boh('suppliers', 'import', rows, ...importFlags);
  expect(result.exitCode).toBe(9);
  expect(result.stderr).toContain('1 updated, 1 with an unknown outcome.');
  expect(rowsIn(result)[1]?.error?.message).toContain(`the ID ${existingId}, which belongs to line 2, O-1.`);
  expect(names('/suppliers')).toEqual(['Older']);
});

describe('creations without effect that all return one id', () => {
  test('apply: the outcome of all rows is unknown', async () => {
    const { boh, addFile, names } = await startWithOld(asExisting);
    const manifest = addFile('m.yaml', 'suppliers:\n  - name: Ada\n  - name: Bo\n');
    const result = await boh('apply', manifest, '--yes', '--concurrency', '1');
    expect([result.exitCode, names('/suppliers')]).toEqual([9, ['Old']]);
    expect(result.stderr).toContain('2 with an unknown outcome.');
  });

  test('seed: the outcome of all rows is unknown', async () => {
    const { boh, names } = await startWithOld(asExisting);
    const result = await boh('seed', '--count', 'suppliers=3', '--yes');
    expect([result.exitCode, names('/suppliers')]).toEqual([9, ['Old']]);
    expect(result.stderr).toContain('3 with an unknown outcome.');
  });

  test('backup restore with the backup of another account: the outcome of all rows is unknown', async () => {
    const { boh, folder, names } = await startWithOld(asExisting);
    const source = await startFakeService(() => undefined);
    for (const name of ['Ada', 'Bo', 'Cy']) source.client.post('/suppliers', { name });
    const backup = join(folder, 'backup');
    await source.boh('backup', backup, '--resource', 'suppliers');
    const result = await boh('backup', 'restore', backup, '--yes');
    expect([result.exitCode, names('/suppliers')]).toEqual([9, ['Old']]);
    expect(result.stderr).toContain('3 with an unknown outcome.');
  });

  test('copy from another account: the outcome of all rows is unknown', async () => {
    const { names, env } = await startWithOld(asExisting);
    const source = await startFakeService(() => undefined);
    for (const name of ['Ada', 'Bo', 'Cy']) source.client.post('/suppliers', { name });
    const profileOf = (account: typeof env) => ({ base_url: account.BOH_BASE_URL, token: account.BOH_TOKEN });
    const profiles = { source: profileOf(source.env), target: profileOf(env) };
    const { BOH_CONFIG_DIR: folder } = env;
    const config = JSON.stringify({ version: 1, profiles, defaults: {} });
    writeFileSync(join(folder, 'config.json'), config, { mode: 0o600 });
    const line = ['copy', 'suppliers', '--from', 'source', '--to', 'target', '--yes'];
    const result = await runBoh(line, { env: { BOH_CONFIG_DIR: folder } });
    expect([result.exitCode, names('/suppliers')], result.stderr).toEqual([9, ['Old']]);
    expect(result.stderr).toContain('3 with an unknown outcome.');
  });

  test('import of more rows than the run sends: the first row is not reported as created', async () => {
    const { boh, addFile, names, writes } = await startWithOld(asExisting);
    const many = Array.from({ length: 60 }, (_, index) => `S${index},K-${index}`).join('\n');
    const result = await boh('suppliers', 'import', addFile('s.csv', `name,code\n${many}\n`), ...importFlags);
    expect([result.exitCode, names('/suppliers')]).toEqual([8, ['Old']]);
    expect(writes.length).toBeLessThan(60);
    expect(result.stderr).not.toContain('created');
    expect(result.stderr).toContain('0 rows are done');
    // The same response doesn't complete the remaining rows either.
    const [id = ''] = /runs resume (\S+)/.exec(result.stderr)?.slice(1) ?? [];
    const resumeResult = await boh('runs', 'resume', id, '--yes');
    expect(resumeResult.exitCode).not.toBe(0);
    expect(rowsIn(resumeResult).filter(({ outcome }) => outcome === 'done')).toEqual([]);
  });
});

test('apply: records of different resources may have the same id', async () => {
  const { boh, addFile } = await startFakeService(({ method, body }) =>
    method === 'POST' ? { status: 201, body: { data: { ...body, id: '1' } } } : undefined,
  );
  const text = 'suppliers:\n  - name: Ada\ninventory_item_categories:\n  - name: Dry\n';
  const manifest = addFile('m.yaml', text);
  const result = await boh('apply', manifest, '--yes');
  expect([result.exitCode, rowsIn(result).map(({ outcome }) => outcome)]).toEqual([0, ['done', 'done']]);
});

const respondWithJob: FakeResponse = ({ method, path }) =>
  method === 'POST' && path === '/suppliers' ? { status: 202, body: { data: { job_id: 'j-1' } } } : undefined;

describe('creations with the response 202 and a job', () => {
  test('import: no row counts as created, and no row is sent again', async () => {
    const { boh, addFile, writes } = await startFakeService(respondWithJob);
    const result = await boh('suppliers', 'import', addFile('s.csv', csv), ...importFlags);
    expect(result.exitCode).toBe(9);
    expect(result.stderr).toContain('3 with an unknown outcome.');
    const [firstRow] = rowsIn(result);
    expect(firstRow).toMatchObject({ outcome: 'unknown', id: null });
    expect(firstRow?.error?.message).toMatch(
      /^The service accepted the request \(202\).*\{"job_id":"j-1"\}.* The outcome of `suppliers create` is unknown\. It was not retried\. It was not found\.$/,
    );
    expect(writes).toHaveLength(3);
  });

  test('import: records that are created later are found, and their rows are done', async () => {
    const { boh, addFile, names } = await startFakeService((write) => {
      if (respondWithJob(write)) write.forward();
      return respondWithJob(write);
    });
    const result = await boh('suppliers', 'import', addFile('s.csv', csv), ...importFlags);
    expect([result.exitCode, names('/suppliers')]).toEqual([0, ['Ada', 'Bo', 'Cy']]);
  });

  test('import: stops if every response is 202', async () => {
    const { boh, addFile, writes } = await startFakeService(respondWithJob);
    const many = Array.from({ length: 60 }, (_, index) => `S${index},K-${index}`).join('\n');
    const result = await boh('suppliers', 'import', addFile('s.csv', `name,code\n${many}\n`), ...importFlags);
    expect(result.exitCode).toBe(8);
    expect(writes.length).toBeLessThan(10);
    expect(result.stderr).toContain('runs resume');
  });

  test.each(['upsert --key code --code A-1 --name Ada', 'create --name Ada --code A-1'])(
    'suppliers %s: exits with 8, outcome unknown, and a hint with the command that checks',
    async (line) => {
      const { boh, writes } = await startFakeService(respondWithJob);
      const result = await boh('suppliers', ...line.split(' '), '-o', 'json');
      expect([result.exitCode, result.stdout, writes.length]).toEqual([8, '', 1]);
      expect(failureOf(result)).toMatchObject({
        category: 'unavailable',
        status: 202,
        outcome: 'unknown',
        hint: 'To check: boh suppliers list --code A-1',
      });
    },
  );

  test('undo: deletes nothing, and exits with 9', async () => {
    const { boh, writes } = await startFakeService(respondWithJob);
    await boh('suppliers', 'create', '--name', 'Ada');
    const undoResult = await boh('undo', '--last', '--yes');
    expect([undoResult.exitCode, writes]).toEqual([9, ['POST /suppliers']]);
  });
});

describe('updates, deletes and restores with the response 202 or another record', () => {
  const fakeResponses: [string, unknown, number][] = [
    ['202', '', 202],
    ['another record', { data: { id: 'other', name: 'Other' } }, 200],
  ];
  for (const [description, body, status] of fakeResponses)
    test.each(['update ID --phone 7', 'delete ID --yes', 'restore ID'])(
      `%s with the response ${description}: the outcome is unknown`,
      async (line) => {
        const { boh, client } = await startFakeService(() => ({ status, body }));
        const { id } = client.post('/suppliers', { name: 'Ada' }).json.data;
        if (line.startsWith('restore')) client.delete(`/suppliers/${id}`);
        const result = await boh('suppliers', ...line.replace('ID', id).split(' '), '-o', 'json');
        expect(result.exitCode).toBe(8);
        expect(failureOf(result)).toMatchObject({
          category: 'unavailable',
          outcome: 'unknown',
          message: expect.stringContaining(
            `The outcome of \`suppliers ${line.split(' ')[0]} ${id}\` is unknown`,
          ),
          hint: `To check: boh suppliers get ${id}`,
        });
      },
    );

  test('import: an update that the record does not have is not sent again', async () => {
    const { boh, client, addFile, writes } = await startFakeService(({ method }) =>
      method === 'PUT' ? { status: 202, body: {} } : undefined,
    );
    for (const code of ['A-1', 'B-1']) client.post('/suppliers', { name: 'Old', code });
    const rows = addFile('s.csv', 'name,code\nAda,A-1\nBo,B-1\n');
    const result = await boh('suppliers', 'import', rows, ...importFlags);
    expect([result.exitCode, writes.length]).toEqual([9, 2]);
    expect(rowsIn(result)[0]?.error?.message).toContain("The record doesn't have the new values.");
  });
});
