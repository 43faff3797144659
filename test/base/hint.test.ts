/** Tests that hints repeat the flags of the running command line and are quoted for a shell. */
import { expect, test } from 'vitest';
import { boh, formatHint, type Hint, joinHints } from '../../src/base/hint.ts';
import { repeatedFlags } from '../../src/cli/context/context.ts';

const list = boh.hint`See: ${boh.account('customers list')}`;

test.each([
  [{ sandbox: true }, 'See: boh --sandbox customers list'],
  [{ profile: 'main branch' }, 'See: boh --profile "main branch" customers list'],
  [
    { baseUrl: 'https://x.example', apiPrefix: '/v5' },
    'See: boh --base-url https://x.example --api-prefix /v5 customers list',
  ],
  [{}, 'See: boh customers list'],
])('formatHint: repeats the account flags %j', (globals, expected) => {
  expect(formatHint(list, repeatedFlags(globals, undefined))).toBe(expected);
});

test.each<[Hint, string]>([
  [boh.profile('auth login'), 'boh --profile main auth login'],
  [
    boh.hint`To resume it: ${boh.account('runs resume', '1')}.`,
    'To resume it: boh --sandbox --profile main runs resume 1.',
  ],
  [boh.plain('profiles list'), 'boh profiles list'],
  [boh.plain('auth logout', '--profile', 'old'), 'boh auth logout --profile old'],
  [boh.forProfile('old', 'runs resume', '1'), 'boh --profile old runs resume 1'],
  [boh.forProfile(undefined, 'runs resume', '1'), 'boh --sandbox --profile main runs resume 1'],
  [boh.help('customers list'), 'See: boh customers list --help'],
  [boh.help(''), 'See: boh --help'],
  ['A record is called: boh customers list', 'A record is called: boh customers list'],
])('formatHint %j: repeats flags only if the command needs them', (hint, expected) => {
  expect(formatHint(hint, repeatedFlags({ profile: 'main', sandbox: true }, undefined))).toBe(expected);
});

test.each([
  [
    boh.mirror('mirror sync', '--resource', 'tags'),
    'boh --sandbox mirror sync --to "sqlite:a b" --resource tags',
  ],
  [boh.account('mirror sync', '--to', 'sqlite:FILE'), 'boh --sandbox mirror sync --to sqlite:FILE'],
])('formatHint %j: repeats the mirror unless the arguments name one', (line, expected) => {
  expect(formatHint(line, repeatedFlags({ sandbox: true }, 'sqlite:a b'))).toBe(expected);
});

test('formatHint: quotes the arguments of a command', () => {
  const line = boh.account('suppliers list', '--name', `it's $5`, 'a b', '');
  expect(formatHint(line)).toBe(String.raw`boh suppliers list --name 'it'\''s $5' "a b" ""`);
});

test('joinHints: omits missing hints', () => {
  const joined = joinHints(' ', undefined, 'First.', '', list);
  expect(formatHint(joined ?? '')).toBe('First. See: boh customers list');
  expect(joinHints(' ', undefined, '')).toBeUndefined();
});
