import { expect, test } from 'vitest';
import { formatEffect, rehearsalResult } from '../../../src/commands/manifest/rehearse.ts';
import type { RehearsalResult } from '../../../src/manifest/rehearse.ts';

const line = 'notified: Sara Haddad, Omar Nasser, Nour Hamdan: supplier_order_created (Old Town Branch)';
const page = { width: 40, color: false, unicode: true };

test('the report of a rehearsal: breaks at spaces, but only in a window', () => {
  expect(formatEffect(line, { ...page, isTerminal: true }).split('\n')).toEqual([
    'notified: Sara Haddad, Omar Nasser,',
    '    Nour Hamdan: supplier_order_created',
    '    (Old Town Branch)',
    '',
  ]);
  expect(formatEffect(line, { ...page, isTerminal: false })).toBe(`${line}\n`);
});

test('the stock of a place with an Arabic name stays after the name in a window', async () => {
  const plan = {
    changes: [],
    notes: [],
    notCompared: [],
    matches: new Map(),
  } as unknown as RehearsalResult['plan'];
  const stock = [{ item: 'سكر', place: 'فرع النهر', old: 4, new: 5 }];
  const result = await rehearsalResult(
    { plan, results: [], limits: [], loyalty: [] },
    { stock, notifications: [] },
    'seeds/',
  );
  const text = result.kind === 'data' && typeof result.text === 'function' ? result.text : () => '';
  expect(await text({ ...page, width: 80, isTerminal: true })).toBe('stock: سكر at فرع النهر:\u28004 → 5\n');
  expect(await text({ ...page, isTerminal: false })).toBe('stock: سكر at فرع النهر: 4 → 5\n');
});
