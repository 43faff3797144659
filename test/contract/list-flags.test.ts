/** Checks the flags of lists, which boh creates only for command lines that use one of them or request help. */
import { describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { globalOptions, helpOption, versionOption } from '../../src/cli/commands/globals.ts';
import { resourceCommand } from '../../src/cli/commands/resource-command.ts';
import type { Context } from '../../src/cli/context/context.ts';
import { runBoh } from '../harness/run-boh.ts';

const lists = api.resources
  .filter(({ list }) => list)
  .map((resource) => [resource.command, resource] as const);
const globalFlags = [...globalOptions, helpOption, versionOption].flatMap(({ long, short }) => [long, short]);

describe('list flags', () => {
  it.each(lists)('%s: no list flag is also a global flag', async (_, resource) => {
    const { commands } = await resourceCommand(resource, 'list', {} as Context);
    const listOptions = commands.find((verb) => verb.name() === 'list')?.options ?? [];
    expect(listOptions.length).toBeGreaterThan(10);
    for (const { long, short } of listOptions) {
      expect(globalFlags).not.toContain(long);
      if (short) expect(globalFlags).not.toContain(short);
    }
  });
});

it('list without flags: returns the same records as with --all', async () => {
  const withoutFlags = await runBoh(['--sandbox', 'suppliers', 'list', '-o', 'json']);
  expect(withoutFlags).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(withoutFlags.stdout).length).toBeGreaterThan(0);
  const withAll = await runBoh(['--sandbox', 'suppliers', 'list', '--all', '-o', 'json']);
  expect(withAll.stdout).toBe(withoutFlags.stdout);
});

it.each([
  [['suppliers', 'list', '--nmae', 'x'], /Did you mean "?--name"?/],
  [['suppliers', 'list', '--sort'], /--sort/],
  [['suppliers', 'list', 'x'], /list takes no arguments, but got 1: x\./],
])('list with %j: is refused with %s', async (line, message) => {
  const { exitCode, stderr } = await runBoh(['--sandbox', ...line]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(message);
});

it.each([['--help'], ['-h']])('list %s: prints all flags, with the flag at any position', async (help) => {
  const { stdout } = await runBoh([help, 'suppliers', 'list']);
  expect(stdout).toContain('--contact-name');
  expect(stdout).toContain('--columns');
});

describe('columns that the service neither sorts nor filters by', () => {
  interface Customer {
    name: string;
    order_count: number;
    created_at: string;
    tags: { name: string }[];
  }
  const list = async (...line: string[]) => {
    const { stdout, stderr, exitCode } = await runBoh([
      '--sandbox',
      'customers',
      'list',
      '-o',
      'json',
      ...line,
    ]);
    return { rows: exitCode === 0 ? (JSON.parse(stdout) as Customer[]) : [], stderr, exitCode };
  };

  it('--sort: sorts the whole list by several columns, then limits it, and says so', async () => {
    const { rows: all } = await list();
    const { rows, stderr } = await list('--sort', '-order_count,name', '--limit', '3');
    const expected = [...all].sort(
      (a, b) => b.order_count - a.order_count || (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1),
    );
    expect(rows.map(({ name }) => name)).toEqual(expected.slice(0, 3).map(({ name }) => name));
    expect(stderr).toContain('boh reads all customers and sorts by -order_count,name'.replace(',', ', '));
    expect(stderr).toContain(`3 of ${all.length} customers, limited by --limit.`);
  });

  it.each([
    ['order_count > 5', (row: Customer) => row.order_count > 5],
    ['order_count<=2', (row: Customer) => row.order_count <= 2],
    ['name ~ HUDA', (row: Customer) => /huda/i.test(row.name)],
    ['tags.name != VIP', (row: Customer) => !row.tags?.some(({ name }) => name === 'VIP')],
    ['created_at < 1h', () => true],
  ])('--where-local %s: returns only the rows that meet it', async (condition, isMet) => {
    const { rows: all } = await list('--include', 'tags');
    const { rows, stderr } = await list('--include', 'tags', '--where-local', condition);
    expect(rows).toEqual(all.filter(isMet));
    expect(stderr).toContain(`filters by ${condition}`);
  });

  it.each([
    [['--where-local', 'order_count > many'], 'order_count must be a whole number'],
    [['--where-local', 'nothing'], "isn't a condition"],
    [['--where-local', 'nmae = x'], 'Did you mean "name"?'],
    [['--where-local', 'name ~ a', '--page', '2'], "--page can't be used here"],
    [['--sort', 'nmae'], 'Did you mean "name"?'],
  ])('%j: is refused', async (flags, message) => {
    const { exitCode, stderr } = await list(...flags);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('--sort by a column that the service sorts by: leaves the order to the service', async () => {
    expect((await list('--sort', '-created_at', '-v')).stderr).toContain('sort=-created_at');
  });
});
