import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatNames } from '../../src/account/settings/format-names.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import type { Context } from '../../src/cli/context/context.ts';
import { present } from '../../src/cli/output/present.ts';
import { findFormat } from '../../src/cli/terminal/formats/index.ts';
import { runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';
import { fakeStreams } from '../terminal/fake-streams.ts';

// More items than a card shows.
const items = Array.from({ length: 30 }, (_, index) => ({ id: `i${index}`, name: `Item ${index}` }));
const farms = { id: '42', name: 'Fresh Farms', created_at: '2026-11-20 12:00:00', items };
const originalTimeZone = process.env.TZ;

let service: TestService;
beforeAll(async () => {
  process.env.TZ = 'Asia/Riyadh';
  service = await serve({
    'GET /suppliers/42': { data: farms },
    'POST /suppliers': { data: farms },
    'GET /suppliers': { data: [farms, { ...farms, id: '43' }], meta: { last_page: 1, total: 2 } },
  });
});
afterAll(() => {
  if (originalTimeZone === undefined) delete process.env.TZ;
  else process.env.TZ = originalTimeZone;
  return service.close();
});

const flags = {
  '--columns': ['--columns', 'created_at,items'],
  '--query': ['--query', '[{id: created_at}]'],
  '--raw': ['--raw'],
  '--wide': ['--wide'],
  '--local-time': ['--local-time'],
  '--bom': ['--bom'],
};
type Flag = keyof typeof flags;
const names = Object.keys(flags) as Flag[];
const pairs = names.flatMap((first, index) =>
  names.slice(index + 1).map((second) => [first, second] as const),
);

const boh = (args: readonly string[], env = {}) =>
  runBoh(args, {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, ...env },
  });
const get = (format: string, testedFlags: readonly Flag[]) =>
  boh(['suppliers', 'get', '42', '-o', format, ...testedFlags.flatMap((flag) => flags[flag])]);

/**
 * Returns whether the command succeeds with these flags, and expects that each changes the output. If the command fails,
 * expects that it names a flag and sends nothing.
 */
async function flagsHaveEffect(format: string, testedFlags: readonly Flag[]): Promise<boolean> {
  service.takeRequests();
  const result = await get(format, testedFlags);
  if (result.exitCode === 2) {
    expect(service.takeRequests()).toEqual([]);
    expect(testedFlags.some((flag) => result.stderr.includes(flag))).toBe(true);
    return false;
  }
  expect(result.exitCode).toBe(0);
  for (const [index, flag] of testedFlags.entries()) {
    const resultWithoutFlag = await get(format, testedFlags.toSpliced(index, 1));
    expect(result.stdout, `${flag} is ignored`).not.toBe(resultWithoutFlag.stdout);
  }
  return true;
}

describe.each(formatNames)('-o %s', (format) => {
  test.each(names)('is refused or works with %s', async (flag) => {
    await flagsHaveEffect(format, [flag]);
  });

  // --wide has an effect on the table of a query only in a window; see the test below.
  const testedPairs = pairs.filter(
    ([first, second]) => format !== 'table' || first !== '--query' || second !== '--wide',
  );
  test.each(testedPairs)('is refused or works with %s and %s', async (first, second) => {
    await flagsHaveEffect(format, [first, second]);
  });
});

test('pairs of output flags that can be combined: both have an effect', async () => {
  const works = (format: string, ...testedFlags: Flag[]) => flagsHaveEffect(format, testedFlags);
  expect(await works('csv', '--columns', '--bom')).toBe(true);
  expect(await works('csv', '--query', '--bom')).toBe(true);
  expect(await works('table', '--columns', '--local-time')).toBe(true);
  expect(await works('table', '--columns', '--wide')).toBe(true);
  expect(await works('table', '--query')).toBe(true);
  expect(await works('yaml', '--columns')).toBe(true);
  expect(await works('id', '--query')).toBe(true);
});

test('--wide: the table of a --query result may be wider than the window', async () => {
  const outputOf = async (wide: boolean) => {
    const streams = fakeStreams({ columns: () => 20 });
    const recordedWrites = { count: 0, finish: [] };
    const context = { streams, globals: {}, recordedWrites, env: { CI: '1' } } as unknown as Context;
    const table = findFormat('table');
    if (!table) throw new Error('no table format');
    const view = {
      resource: suppliers,
      format: table,
      include: [],
      optionalInclude: [],
      wide,
      timeZone: 'UTC',
      bom: false,
      raw: false,
      otherColumns: [],
    };
    const select = () => [{ name: 'A name that is far too long for it' }];
    const result = { kind: 'record', resource: suppliers, record: {}, body: '' } as const;
    await present(context, result, { ...view, select });
    return streams.written.out();
  };
  expect(await outputOf(true)).toContain('far too long for it\n');
  expect(await outputOf(false)).not.toContain('far too long for it\n');
});

describe('list', () => {
  test.each([
    ['--raw --limit 1', 'omit --limit'],
    ['--all --limit 1', "--all can't be used with --limit"],
    ['--all --page 2', 'or --page'],
    ['--raw -o csv', 'omit -o csv'],
    ['-o id --columns name', '--columns works with'],
    ['--local-time', '--local-time works with -o table, not with -o json.'],
    ['--wide', 'works with -o table'],
    ['--bom --wide -o ndjson', '--wide works with -o table, not with -o ndjson. --bom works with -o csv'],
    ['--query [].name --columns name', 'omit --columns'],
  ])('%s: is refused before a request is sent', async (line, message) => {
    service.takeRequests();
    const result = await boh(['suppliers', 'list', ...line.split(' ')]);
    expect([result.exitCode, service.takeRequests()]).toEqual([2, []]);
    expect(result.stderr).toContain(message);
  });

  test.each(['--limit 1', '--page 1', '--raw', '--raw -o json', '--query [].name --limit 1'])(
    '%s: succeeds',
    async (line) => {
      expect((await boh(['suppliers', 'list', ...line.split(' ')])).exitCode).toBe(0);
    },
  );
});

test('write with flags that conflict: is refused before it is sent', async () => {
  service.takeRequests();
  const result = await boh(['suppliers', 'create', '--name', 'x', '--local-time']);
  expect([result.exitCode, service.takeRequests()]).toEqual([2, []]);
});

test('output format from the environment: conflicts with the same flags as -o', async () => {
  const result = await boh(['suppliers', 'list', '--bom'], { BOH_OUTPUT: 'yaml' });
  expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('not with -o yaml')]);
});

describe('-o id', () => {
  test('records without an ID: are refused, not printed as empty lines', async () => {
    const result = await boh(['suppliers', 'list', '-o', 'id', '--query', '[].{name: name}']);
    expect([result.exitCode, result.stdout]).toEqual([2, '']);
    service.takeRequests();
    expect((await boh(['whoami', '-o', 'id'])).stderr).toContain('whoami has no ID');
    expect(service.takeRequests()).toEqual([]);
  });

  test('records identified by name: prints the names', async () => {
    expect((await boh(['resources', '-o', 'id'])).stdout).toMatch(/^customers\naddresses\n/);
    expect((await boh(['config', 'list', '-o', 'id'])).stdout).toContain('wire.filter_style\n');
  });
});

test('-o and --json together: the last one applies', async () => {
  expect((await boh(['suppliers', 'list', '--json', '-o', 'id'])).stdout).toBe('42\n43\n');
  expect((await boh(['suppliers', 'list', '-o', 'id', '--json'])).stdout).toMatch(/^\[/);
});
