import { expect, test } from 'vitest';
import { formatEffect, rehearsalResult } from '../../../src/cli/commands/manifest/rehearse.ts';
import type { RehearsalResult } from '../../../src/engine/manifest/rehearse.ts';

const line = 'notified: Sara Haddad, Omar Nasser, Nour Hamdan: supplier_order_created (Old Town Branch)';
const display = { width: 40, color: false, unicode: true };

test('the report of a rehearsal: lines wrap at spaces, but only on a terminal', () => {
  expect(formatEffect(line, { ...display, isTerminal: true }).split('\n')).toEqual([
    'notified: Sara Haddad, Omar Nasser,',
    '    Nour Hamdan: supplier_order_created',
    '    (Old Town Branch)',
    '',
  ]);
  expect(formatEffect(line, { ...display, isTerminal: false })).toBe(`${line}\n`);
});

test('the stock of a branch with an Arabic name on a terminal: stays after the name', async () => {
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
  expect(await text({ ...display, width: 80, isTerminal: true })).toBe(
    'stock: سكر at فرع النهر:\u28004 → 5\n',
  );
  expect(await text({ ...display, isTerminal: false })).toBe('stock: سكر at فرع النهر: 4 → 5\n');
});
