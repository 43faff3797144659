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
