import { expect, test } from 'vitest';
import { effectText } from '../../../../src/commands/manifest/rehearsal-report.ts';

const line = 'notified: Sara Haddad, Omar Nasser, Nour Hamdan: supplier_order_created (Old Town Branch)';
const page = { width: 40, colour: false, unicode: true };

test('what a rehearsal has brought about breaks at spaces in a window, and nowhere else', () => {
  expect(effectText(line, { ...page, isWindow: true }).split('\n')).toEqual([
    'notified: Sara Haddad, Omar Nasser,',
    '    Nour Hamdan: supplier_order_created',
    '    (Old Town Branch)',
    '',
  ]);
  expect(effectText(line, { ...page, isWindow: false })).toBe(`${line}\n`);
});
