/** What `boh --help` promises: every command, in a window of 80 columns. */
import { expect, it } from 'vitest';
import { rootHelp } from '../../src/commands/help.ts';
import { handWritten } from '../../src/commands/index.ts';
import { api } from '../../src/resources/index.ts';

it('names every command', () => {
  for (const { command } of api.resources) expect(rootHelp(api)).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  for (const { name, hidden } of handWritten)
    if (!hidden) expect(rootHelp(api)).toMatch(new RegExp(`^ {2}${name} `, 'm'));
});

it('fits 80 columns', () => {
  const tooWide = rootHelp(api)
    .split('\n')
    .filter((line) => line.length > 80);
  expect(tooWide).toEqual([]);
});

it('begins with examples', () => {
  expect(rootHelp(api).indexOf('boh --sandbox customers list')).toBeLessThan(rootHelp(api).indexOf('Menu:'));
});
