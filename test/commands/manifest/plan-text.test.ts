import { expect, test } from 'vitest';
import { api } from '../../../src/api/resources/index.ts';
import { formatPlan } from '../../../src/cli/commands/manifest/show-plan.ts';
import { displayWidth } from '../../../src/cli/terminal/width.ts';
import type { Change } from '../../../src/engine/manifest/plan/change.ts';

const display = { color: false, unicode: true };
const blankCell = '\u2800';

function change(name: string, parts: Partial<Change>): Change {
  const resource = api.findResource(name);
  if (!resource) throw new Error(name);
  const requests = {
    name: '',
    current: undefined,
    values: {},
    links: [],
  };
  const base = { action: 'update' as const, key: 'K', title: undefined, id: '1', fields: {}, links: [] };
  return { ...base, resource, requests, ...parts };
}

const supplier = change('suppliers', {
  key: 'SUP-7',
  title: 'Orchard and Vineyard Produce of the North',
  fields: { phone: { old: '1', new: '2' }, contact_name: { old: 'Sami Al-Harbi', new: 'Maha Al-Otaibi' } },
  links: [
    {
      action: 'create',
      link: 'items',
      key: 'SKU-044',
      fields: { order_unit: { old: null, new: 'pallet' }, cost: { old: null, new: 112.5 } },
    },
  ],
});

test('a plan on a narrow terminal: lines wrap at spaces and fit the width', () => {
  const narrow = formatPlan([supplier], { ...display, isTerminal: true, width: 36 });
  expect(narrow).toBe(`~ supplier SUP-7 (Orchard and
        Vineyard Produce of the
        North)
    phone         1 → 2
    contact_name
        Sami Al-Harbi → Maha
        Al-Otaibi
    + items SKU-044  order_unit
        pallet, cost 112.5
`);
  for (const line of narrow.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(36);
});

test('a plan without a terminal: lines are not wrapped', () => {
  const text = formatPlan([supplier], { ...display, isTerminal: false, width: 20 });
  expect(text).toContain('~ supplier SUP-7 (Orchard and Vineyard Produce of the North)\n');
  expect(text).toContain('    contact_name  Sami Al-Harbi → Maha Al-Otaibi\n');
});

test('a plan on a terminal with right-to-left values: the old value stays before the new one', () => {
  const fields = { name: { old: 'سكر', new: 'ملح' }, cost: { old: 4, new: 5 } };
  const formatOn = (isWindow: boolean) =>
    formatPlan([change('tags', { fields })], { ...display, isTerminal: isWindow, width: 80 });
  expect(formatOn(true)).toContain(`name  سكر${blankCell}→ ملح\n`);
  expect(formatOn(true)).toContain('cost  4 → 5\n');
  expect(formatOn(false)).toContain('name  سكر → ملح\n');
});
