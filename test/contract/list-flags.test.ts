/** The flags of lists, which are made for the lines that name one of them, or ask for help, and for no others. */
import { describe, expect, it } from 'vitest';
import { globalOptions, helpOption, versionOption } from '../../src/commands/globals.ts';
import { resourceCommand } from '../../src/commands/resource-command.ts';
import type { Context } from '../../src/context/context.ts';
import { api } from '../../src/resources/index.ts';
import { runBoh } from '../harness/run-boh.ts';

const lists = api.resources
  .filter(({ list }) => list)
  .map((resource) => [resource.command, resource] as const);
const anywhere = [...globalOptions, helpOption, versionOption].flatMap(({ long, short }) => [long, short]);

describe('of every list', () => {
  it.each(lists)(
    '%s: none is one that may stand anywhere, by which alone a line is judged',
    async (_, resource) => {
      const { commands } = await resourceCommand(resource, 'list', {} as Context);
      const own = commands.find((verb) => verb.name() === 'list')?.options ?? [];
      expect(own.length).toBeGreaterThan(10);
      for (const { long, short } of own) {
        expect(anywhere).not.toContain(long);
        if (short) expect(anywhere).not.toContain(short);
      }
    },
  );
});

it('a list without any of them answers what it answers with one that changes nothing', async () => {
  const plain = await runBoh(['--sandbox', 'suppliers', 'list', '-o', 'json']);
  expect(plain).toMatchObject({ exitCode: 0 });
  expect(JSON.parse(plain.stdout).length).toBeGreaterThan(0);
  const flagged = await runBoh(['--sandbox', 'suppliers', 'list', '--all', '-o', 'json']);
  expect(flagged.stdout).toBe(plain.stdout);
});

it.each([
  [['suppliers', 'list', '--nmae', 'x'], /Did you mean "?--name"?/],
  [['suppliers', 'list', '--sort'], /--sort/],
  [['suppliers', 'list', 'x'], /Too many arguments/],
])('a line that is wrong is told as before: %j', async (line, sentence) => {
  const { exitCode, stderr } = await runBoh(['--sandbox', ...line]);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(sentence);
});

it.each([['--help'], ['-h']])('%s shows them all, wherever it stands', async (help) => {
  const { stdout } = await runBoh([help, 'suppliers', 'list']);
  expect(stdout).toContain('--contact-name');
  expect(stdout).toContain('--columns');
});
