/** Runs at a service that returns a success for each creation, with another record than the one that was sent. */
import { expect, test } from 'vitest';
import { rowsIn, startFakeService } from './fake-service.ts';

const csv = 'name,code\nAda,A-1\nBo,B-1\nCy,C-1\n';

const line = ['--key', 'code', '--yes', '--concurrency', '1'];

/** Starts a service that answers each creation with a job, which it runs or doesn't. */
const startJobService = (isCreated: boolean) =>
  startFakeService(({ method, number, forward }) => {
    if (method !== 'POST') return undefined;
    if (isCreated) forward();
    return { status: 201, body: { data: { id: `job-${number}`, name: 'import', code: null } } };
  });

test('import into a service that creates nothing: every row is unknown, also when resumed, and sent once', async () => {
  const { boh, addFile, writes } = await startJobService(false);
  const result = await boh('suppliers', 'import', addFile('s.csv', csv), ...line);
  expect(result.exitCode).toBe(9);
  expect(result.stderr).toContain('3 with an unknown outcome.');
  expect(rowsIn(result).map(({ outcome, error }) => [outcome, error?.message])).toEqual(
    ['Ada', 'Bo', 'Cy'].map((name) => [
      'unknown',
      expect.stringContaining(`name "import" instead of "${name}"`),
    ]),
  );
  const [id = ''] = /runs resume (\S+)/.exec(result.stderr)?.slice(1) ?? [];
  const resumeResult = await boh('runs', 'resume', id, '--yes');
  expect([resumeResult.exitCode, writes.length]).toEqual([9, 3]);
});

test('import into a service that creates the records: they are found, and each row is sent once', async () => {
  const { boh, addFile, writes, names, client } = await startJobService(true);
  const result = await boh('suppliers', 'import', addFile('s.csv', csv), ...line);
  expect([result.exitCode, writes.length, names('/suppliers')]).toEqual([0, 3, ['Ada', 'Bo', 'Cy']]);
  const ids = client.get('/suppliers').json.data.map(({ id }: { id: string }) => id);
  expect(
    rowsIn(result)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(ids.sort());
});
