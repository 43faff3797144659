/** What `boh --help` promises: every command, in a window of 80 columns. */
import { expect, it } from 'vitest';
import { handWritten } from '../../../src/commands/index.ts';
import { rootHelp } from '../../../src/commands/root-help.ts';
import { resources } from '../../../src/resources/index.ts';

it('names every command', () => {
  for (const { command } of resources) expect(rootHelp()).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  for (const { name, hidden } of handWritten)
    if (!hidden) expect(rootHelp()).toMatch(new RegExp(`^ {2}${name} `, 'm'));
});

it('fits 80 columns', () => {
  const tooWide = rootHelp()
    .split('\n')
    .filter((line) => line.length > 80);
  expect(tooWide).toEqual([]);
});

it('begins with examples', () => {
  expect(rootHelp().indexOf('boh --sandbox customers list')).toBeLessThan(rootHelp().indexOf('Menu:'));
});
