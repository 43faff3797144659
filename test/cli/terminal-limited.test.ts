import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { serve, type TestService } from '../harness/serve.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();

/** Each of these records has a thousand bytes. */
const records = Array.from({ length: 10_000 }, (_, index) => ({ id: String(index), name: 'x'.repeat(980) }));

let service: TestService;
let env: Record<string, string>;
beforeAll(async () => {
  service = await serve({ 'GET /groups': { data: records, meta: { last_page: 1, total: records.length } } });
  env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl };
});
afterAll(async () => {
  await service.close();
  demo.remove();
});

const commands = ['suppliers list', 'suppliers get @SUP-01', 'suppliers list --columns nonsense'];

describe.each(commands)('%s', (line) => {
  test.each([
    ['a window 20 columns wide', { columns: 20, lines: 10 }],
    ['a dumb terminal', { env: { TERM: 'dumb' } }],
    ['a locale without UTF-8', { env: { LC_ALL: 'C' } }],
    ['a terminal that reports no size', { columns: 0, lines: 0 }],
  ])('on %s: prints readable output', async (_, options) => {
    const terminal = demo.terminal(`boh --sandbox ${line}`, options);
    expect(await terminal.ended()).toBe(line.includes('nonsense') ? 2 : 0);
    expect(terminal.text()).not.toContain('bug');
    expect(terminal.text().trim()).not.toBe('');
  });

  test('with closed standard input: works', async () => {
    const terminal = demo.terminal(`boh --sandbox ${line} <&-`);
    expect(await terminal.ended()).toBe(line.includes('nonsense') ? 2 : 0);
  });
});

test('a table in a narrow window: fits, and names the omitted columns', async () => {
  const terminal = demo.terminal('boh --sandbox suppliers list', { columns: 20 });
  await terminal.ended();
  const [table = ''] = terminal.text().split(/The\s+window/);
  expect(Math.max(...table.split('\n').map((row) => row.length))).toBeLessThanOrEqual(20);
  expect(table).toContain('Fresh Farms');
  expect(terminal.text().replaceAll(/\s+/g, ' ')).toContain('Hidden columns:');
  const rows = terminal
    .text()
    .split('\n')
    .map((row) => row.trim());
  expect(rows.filter((row) => row.length > 20 && row.includes(' '))).toEqual([]);
});

test('a dumb terminal: receives no cursor movements or colors', async () => {
  const watch = demo.terminal('exec boh --sandbox taxes list --watch', { env: { TERM: 'dumb' } });
  await watch.waitFor('Ctrl-C to stop.');
  watch.types(keys.ctrlC);
  expect(await watch.ended()).toBe(130);
  const list = demo.terminal(
    'boh --sandbox suppliers list --is-deleted; boh --sandbox suppliers get nobody',
    {
      env: { TERM: 'dumb' },
    },
  );
  await list.ended();
  expect(watch.raw() + list.raw()).not.toContain('\x1b');
});

test('a locale without UTF-8: receives only ASCII text', async () => {
  const line = 'boh --sandbox taxes delete @VAT';
  const terminal = demo.terminal(
    `${line}; boh --sandbox inventory-counts restore 1; boh --sandbox tags get 1`,
    {
      env: { LC_ALL: 'C' },
    },
  );
  await terminal.waitFor('(y/N)');
  terminal.types(keys.enter);
  await terminal.ended();
  expect(terminal.text()).toMatch(/^[\x20-\x7e\n]*$/);
});

test('deleted rows without color in a narrow window: show the time of deletion', async () => {
  const terminal = demo.terminal('boh --sandbox suppliers list --is-deleted --no-color', { columns: 44 });
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toMatch(/Alpine Cheese.* \d{4}-\d\d-\d\d/);
});

test('IDs in a list: are complete, or their column is omitted', async () => {
  const [item] = await demo.json<{ id: string }[]>('customers list --limit 1');
  for (const columns of [30, 44, 60, 80]) {
    const terminal = demo.terminal('boh --sandbox customers list --limit 1', { columns });
    expect(await terminal.ended()).toBe(0);
    const [header = '', row = ''] = terminal.text().split('\n');
    expect(row.startsWith(`${item?.id} `)).toBe(/^id\b/.test(header));
    expect(row.slice(0, 14)).not.toContain('…');
  }
});

test('deleted rows: are struck through, or show the time of deletion where that is not possible', async () => {
  expect((await demo.boh('suppliers delete @SUP-09 --yes')).exitCode).toBe(0);
  const colored = demo.terminal('boh --sandbox suppliers list --is-deleted');
  await colored.ended();
  expect(colored.raw()).toMatch(/\[9m.*PackRight/);
  const plain = demo.terminal('boh --sandbox suppliers list --is-deleted --no-color', { columns: 120 });
  await plain.ended();
  expect(plain.text()).toMatch(/deleted at\n[\s\S]*PackRight.* \d{4}-\d\d-\d\d/);
});

describe('10 MB of a list', () => {
  test.each(['ndjson', 'json', 'csv', 'table'])(
    'as %s to a reader that closes the pipe: ends silently',
    async (format) => {
      const terminal = demo.terminal(
        `boh groups list -o ${format} 2>"$HOME/err" | head -1; cat "$HOME/err"`,
        {
          env,
          columns: 200,
        },
      );
      expect(await terminal.ended()).toBe(0);
      expect(terminal.text().trimEnd().split('\n')).toHaveLength(1);
    },
  );

  test('to a slow reader: is complete', async () => {
    const slowReader = `while read -r line; do echo; done`;
    const terminal = demo.terminal(
      `boh groups list --limit 2000 -o ndjson --quiet | (${slowReader}) | wc -l`,
      {
        env,
      },
    );
    await terminal.ended();
    expect(terminal.text().trim()).toBe('2000');
  });

  const testWithDevFull = existsSync('/dev/full') ? test : test.skip;
  testWithDevFull('to a full disk: fails and reports it', async () => {
    const terminal = demo.terminal('boh groups list -o csv > /dev/full', { env });
    expect(await terminal.ended()).toBe(8);
    expect(terminal.text()).toContain('no space left on the device');
  });
});
