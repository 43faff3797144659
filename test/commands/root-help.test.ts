/** `boh --help` lists every command in 80 columns. */
import { describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { formatRootHelp } from '../../src/cli/commands/help.ts';
import { handWritten } from '../../src/cli/commands/index.ts';
import { configFolder } from '../harness/home-folder.ts';
import { runLine } from '../harness/run-line.ts';

it('boh --help: lists every command', () => {
  for (const { command } of api.collections)
    expect(formatRootHelp(api)).toMatch(new RegExp(`^ {2}.* ${command}( |$)`, 'm'));
  for (const { name, hidden } of handWritten)
    if (!hidden) expect(formatRootHelp(api)).toMatch(new RegExp(`^ {2}${name} `, 'm'));
});

it("boh --help: lists every resource that the API refers to but can't list", async () => {
  for (const name of ['branches', 'warehouses', 'products'])
    expect(formatRootHelp(api)).toMatch(new RegExp(`^ {2}.*[ ]${name}( |$)`, 'm'));
  const { exitCode } = await runLine(['branches', '--help'], { env: { BOH_CONFIG_DIR: configFolder } });
  expect(exitCode).toBe(0);
});

it('boh --help: fits in 80 columns', () => {
  const tooWide = formatRootHelp(api)
    .split('\n')
    .filter((line) => line.length > 80);
  expect(tooWide).toEqual([]);
});

it('boh --help: begins with examples', () => {
  expect(formatRootHelp(api).indexOf('boh --sandbox customers list')).toBeLessThan(
    formatRootHelp(api).indexOf('Menu'),
  );
});

describe('help of a command', () => {
  it.each([
    'suppliers update --help',
    'customers list --help',
    'customers import --help',
    'apply --help',
    'backup restore --help',
  ])('boh %s: begins with a sentence and examples, and ends with advanced flags', async (line) => {
    const { stdout } = await runLine(line.split(' '), { env: { BOH_CONFIG_DIR: configFolder } });
    const headings: string[] = stdout.match(/^\S.*:$|^Usage:/gm) ?? [];
    expect(stdout).toMatch(/^[A-Z][^.]*\./);
    expect(headings.slice(0, 2)).toEqual([expect.stringMatching(/^Examples?:$/), 'Usage:']);
    const expectedLastHeadings = ['Output:', 'Bulk run:', 'Advanced:'].filter((heading) =>
      headings.includes(heading),
    );
    expect(headings.slice(-expectedLastHeadings.length)).toEqual(expectedLastHeadings);
    expect(stdout.trimEnd()).toMatch(/Global flags, such as --sandbox( and --dry-run)?: boh --help$/);
  });
});
