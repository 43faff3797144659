/** Checks several records in one command, and IDs on standard input: one command prints what the next one reads. */
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { acceptsSeveralTargets } from '../../src/cli/prompts/missing-input.ts';
import { failureOf } from '../harness/run-boh.ts';
import { serve } from '../harness/serve.ts';
import { useRecorder } from '../harness/use-recorder.ts';

const { boh, requests, targets } = useRecorder();

/** Returns a filter for the command's own requests: it excludes the read before each update (test/contract/unsent-fields.test.ts). */
const isCommandRequest = (effect: string) => (target: string) =>
  effect !== 'update' || target.startsWith('PUT ');

const operationsWithTargets = api.collections.flatMap(operations).filter(acceptsSeveralTargets);

describe.each(operationsWithTargets.map((operation) => [operation.command, operation] as const))(
  '%s',
  (command, operation) => {
    const ownerIds = operation.params.length === 2 ? ['5'] : [];
    const input = operation.body.length > 0 ? ['--unchecked', '--data', '{"a":1}'] : [];
    const line = [...command.split(' '), ...ownerIds];
    const flags = [...input, ...(operation.effect === 'get' ? [] : ['--yes'])];
    const expected = ['7', '8'].map((id) => {
      const ids = [...ownerIds, id];
      return `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, () => ids.shift() ?? '')}`;
    });

    const commandTargets = () => targets().filter(isCommandRequest(operation.effect));

    it('accepts several IDs, also from standard input', async () => {
      const fromArguments = await boh([...line, '7', '8', ...flags]);
      expect([fromArguments.exitCode, commandTargets()]).toEqual([0, expected]);
      const fromStdin = await boh([...line, '-', ...flags], { stdin: '7\r\n\n 8\n' });
      expect([fromStdin.exitCode, commandTargets()]).toEqual([0, expected]);
      expect(fromStdin.stdout).toBe(fromArguments.stdout);
      const action = operation.effect;
      expect(JSON.parse(fromArguments.stdout)).toEqual(
        action === 'get'
          ? [{ id: '7' }, { id: '8' }]
          : ['7', '8'].map((id) => ({ id, action, outcome: 'done', error: null })),
      );
    });

    it('has the same output format for any number of IDs on standard input', async () => {
      for (const [stdin, count] of [
        ['', 0],
        ['\n', 0],
        ['7', 1],
      ] as const) {
        const result = await boh([...line, '-', ...flags], { stdin });
        expect([result.exitCode, JSON.parse(result.stdout).length, commandTargets().length]).toEqual([
          0,
          count,
          count,
        ]);
      }
    });
  },
);

describe('suppliers unlink-item', () => {
  it('reads the IDs of the suppliers from standard input', async () => {
    const fromStdin = await boh(['suppliers', 'unlink-item', '-', '7', '--yes', '-o', 'id'], {
      stdin: '1\n2\n',
    });
    expect([fromStdin.stdout, targets()]).toEqual([
      '1\n2\n',
      ['DELETE /suppliers/1/items/7', 'DELETE /suppliers/2/items/7'],
    ]);
  });
});

describe('update of several records', () => {
  it('requires --yes, and sends the same change to each record', async () => {
    const unconfirmedResult = await boh('suppliers update 1 2 --phone 5');
    expect([unconfirmedResult.exitCode, failureOf(unconfirmedResult).message]).toEqual([
      2,
      'To update 2 suppliers, add --yes.',
    ]);
    expect(requests()).toEqual([]);
    await boh('suppliers update 1 2 1 --phone 5 --clear tags --yes');
    expect(requests().filter(({ method }) => method !== 'GET')).toMatchObject([
      { method: 'PUT', target: '/suppliers/1', body: '{"phone":"5","tags":[]}' },
      { method: 'PUT', target: '/suppliers/2', body: '{"phone":"5","tags":[]}' },
    ]);
  });

  it('--dry-run: prints every request', async () => {
    const result = await boh('suppliers update 1 2 --phone 5 --dry-run');
    expect(JSON.parse(result.stdout)).toMatchObject([{ method: 'PUT' }, { method: 'PUT' }]);
    expect(requests()).toEqual([]);
  });

  it.each([
    ['suppliers update 1 2 --phone 5 --yes --columns id', '--columns'],
    ['suppliers update 1 2 --phone 5 --yes --raw', '--raw'],
    ['suppliers update - --data - --yes', "IDs and --data can't both"],
    ['suppliers update - - --phone 5 --yes', 'only once'],
    ['suppliers update 1 2 --edit', 'one record'],
    ['suppliers update 1 .. --phone 5 --yes', "isn't a valid ID"],
    ['suppliers get 1 ..', "isn't a valid ID"],
    ['suppliers update 1 2 --nme x --yes', '--name'],
  ])('boh %s: is refused with %s, and nothing is sent', async (line, message) => {
    const result = await boh(line, { stdin: '1\n2\n' });
    expect([result.exitCode, failureOf(result).message]).toEqual([2, expect.stringContaining(message)]);
    expect(requests()).toEqual([]);
  });
});

describe('command for several records', () => {
  const service = serve({
    'GET /suppliers/1': { data: { id: '1', name: 'One' } },
    'GET /suppliers/2': [404, { message: 'Not found.' }],
    'GET /suppliers/3': { data: { id: '3', name: 'Three' } },
    'PUT /suppliers/1': { data: { id: '1', name: 'One' } },
    'PUT /suppliers/2': [422, { message: 'The given data was invalid.', errors: { name: ['Taken.'] } }],
    'PUT /suppliers/3': { data: { id: '3', name: 'Three' } },
    'GET /suppliers/4': [401, { message: 'Unauthenticated.' }],
    'GET /suppliers?filter[name]=Fresh Farms': { data: [{ id: '1', name: 'Fresh Farms' }] },
    'GET /suppliers': { data: [] },
  });
  const run = async (...line: string[]) => boh(line, { env: { BOH_BASE_URL: (await service).baseUrl } });

  it('if a record is missing: prints the others, and fails', async () => {
    const result = await run('suppliers', 'get', '1', '2', '3');
    expect(JSON.parse(result.stdout)).toEqual([
      { id: '1', name: 'One' },
      { id: '3', name: 'Three' },
    ]);
    expect([result.exitCode, failureOf(result)]).toMatchObject([
      9,
      { category: 'partial', failures: [{ id: '2', category: 'not_found' }] },
    ]);
    expect((await run('suppliers', 'get', '2', '2')).exitCode).toBe(5);
  });

  it('if an update is refused: sends the others, and prints the outcome of each', async () => {
    const result = await run('suppliers', 'update', '1', '2', '3', '--phone', '5', '--yes');
    expect(JSON.parse(result.stdout)).toMatchObject([
      { id: '1', outcome: 'done' },
      { id: '2', outcome: 'failed', error: { category: 'refused' } },
      { id: '3', outcome: 'done' },
    ]);
    expect(result.exitCode).toBe(9);
  });

  it('name with a space and without quotes: the hint has the quotes', async () => {
    const result = await run('suppliers', 'get', '@Fresh', 'Farms');
    expect([result.exitCode, failureOf(result).hint]).toEqual([
      5,
      expect.stringContaining('quotes: "@Fresh Farms"'),
    ]);
    const quotedResult = await run('suppliers', 'get', '@Fresh Farms', '3');
    expect(JSON.parse(quotedResult.stdout)).toHaveLength(2);
  });

  it('if the token is refused: stops after the first record', async () => {
    (await service).takeRequests();
    const result = await run('suppliers', 'get', '4', '1', '3');
    expect([result.exitCode, (await service).takeRequests()]).toEqual([3, ['GET /suppliers/4']]);
    await (await service).close();
  });
});
