import { describe, expect, test } from 'vitest';
import { bodyFrom } from '../../src/account/session/record-body.ts';
import { type Operation, operation, operations } from '../../src/api/contract/operation.ts';
import { deliveryZones } from '../../src/api/resources/delivery-zones.ts';
import { api } from '../../src/api/resources/index.ts';
import { inventoryCounts } from '../../src/api/resources/inventory-counts.ts';
import { inventoryItems } from '../../src/api/resources/inventory-items.ts';
import { timedEvents } from '../../src/api/resources/timed-events.ts';
import { users } from '../../src/api/resources/users.ts';
import { findChanges, formatRecordText } from '../../src/cli/commands/verbs/edit-record.ts';
import { fc } from '../harness/fast-check.ts';
import { dangerous, hostileTexts } from '../terminal/fake-streams.ts';

function updateOf(resource: Parameters<typeof operation>[0]): Operation {
  const update = operation(resource, 'update');
  if (!update) throw new Error(`${resource.name} can't be updated`);
  return update;
}

const textOf = (update: Operation, record: Record<string, unknown>) =>
  formatRecordText(update, { id: '1', record, body: bodyFrom(update, record).body });

const items = updateOf(inventoryItems);
const item = {
  id: '1',
  name: 'Tomatoes',
  sku: 'no',
  barcode: '0012',
  minimum_level: '5',
  cost: '7.5',
  costing_method: 1,
  category: { id: '12', name: 'Vegetables' },
  tags: [{ id: 'a', name: 'Red' }, { id: 'b' }],
};

describe('a record in the editor', () => {
  test('has a comment for each field, words for codes, and names next to IDs', () => {
    const text = textOf(items, item);
    expect(text).toMatch(/^# inventory item 1: Tomatoes\n/);
    expect(text).toContain('# Costing method [fixed-cost | from-ingredients]\ncosting_method: fixed-cost\n');
    expect(text).toContain('category_id: "12" # Vegetables\n');
    expect(text).toContain('tags:\n  - a # Red\n  - b\n');
    expect(text).not.toContain('id: "1"');
  });

  test.each(
    api.collections
      .flatMap(operations)
      .filter(({ effect }) => effect === 'update')
      .map((updateOperation) => [updateOperation.resource.command, updateOperation] as const),
  )('unchanged record of %s: reports no changes', (_, update) => {
    const examples = Object.fromEntries(
      update.body.map(({ name, field }) => [name, field.traits.example ?? null]),
    );
    const text = textOf(update, examples);
    expect(findChanges(update, text, text)).toEqual({ body: {}, problems: {} });
    expect(text).not.toMatch(/^(pin|password):/m);
  });

  test('anchors in an edited record: are resolved, and one that is missing is a problem with its line', () => {
    const text = textOf(items, item);
    const edited = text
      .replace('name: Tomatoes', 'name: &n Beans')
      .replace(/^name_localized: .*$/m, 'name_localized: *n');
    expect(findChanges(items, text, edited)).toEqual({
      body: { name: 'Beans', name_localized: 'Beans' },
      problems: {},
    });
    const missing = text.replace(/^name_localized: .*$/m, 'name_localized: *n');
    expect(findChanges(items, text, missing).problems._).toEqual([
      expect.stringMatching(/^line \d+, column 17: refers to the anchor n/),
    ]);
  });

  test('any text in a field: is parsed back unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, category) => {
        fc.pre(name.isWellFormed());
        const text = textOf(items, { ...item, name, category: { id: '12', name: category } });
        expect(text.replaceAll('\n', '')).not.toMatch(dangerous);
        expect(findChanges(items, text, text)).toEqual({ body: {}, problems: {} });
        const changedText = textOf(items, { ...item, name: `${name}!` });
        expect(findChanges(items, text, changedText).body).toMatchObject({ name: `${name}!` });
      }),
    );
  });

  test("text from the service: can't add a line", () => {
    for (const hostile of Object.values(hostileTexts)) {
      const text = textOf(items, {
        ...item,
        id: hostile,
        category: { id: '12', name: `x\nsku: stolen ${hostile}` },
      });
      expect(findChanges(items, textOf(items, item), text)).toEqual({ body: {}, problems: {} });
    }
  });
});

describe('changes to a record in the editor', () => {
  const originalText = textOf(items, item);
  const changesAfter = (from: string | RegExp, to: string) =>
    findChanges(items, originalText, originalText.replace(from, to));

  test('changed fields: are sent with the values of the API', () => {
    expect(changesAfter('costing_method: fixed-cost', 'costing_method: from ingredients').body).toEqual({
      costing_method: 2,
    });
    expect(changesAfter('costing_method: fixed-cost', 'costing_method: 2').body).toEqual({
      costing_method: 2,
    });
    expect(changesAfter('cost: 7.5', 'cost: 8').body).toEqual({ cost: 8 });
    expect(changesAfter('  - b\n', '  - 007\n').body).toEqual({ tags: [{ id: 'a' }, { id: '007' }] });
    expect(changesAfter(/tags:\n.*\n.*\n/, 'tags: []\n').body).toEqual({ tags: [] });
    expect(changesAfter('"12" # Vegetables', '"@Fruit"').body).toEqual({ category_id: '@Fruit' });
  });

  test('a text field: keeps leading zeros', () => {
    expect(changesAfter('"0012"', '0013').body).toEqual({ barcode: '0013' });
    expect(changesAfter('minimum_level: "5"', 'minimum_level: 5.50').body).toEqual({ minimum_level: '5.50' });
  });

  test('a removed line: changes nothing; an emptied line: clears the field', () => {
    expect(changesAfter(/barcode:.*\n/, '').body).toEqual({});
    expect(changesAfter('"0012"', '').body).toEqual({ barcode: null });
  });

  test('unreadable fields: all problems are reported at once', () => {
    const { problems } = findChanges(
      items,
      originalText,
      `${originalText}\ncolor: red\n`.replace('cost: 7.5', 'cost: much'),
    );
    expect(problems).toMatchObject({ cost: ['must be a number, such as 2.5'], color: [expect.any(String)] });
    expect(changesAfter('cost: 7.5', 'cost: [7').problems._?.[0]).toMatch(/^line \d+, column \d+: /);
    expect(changesAfter(/^[\s\S]*$/, 'just words').problems._).toHaveLength(1);
    expect(changesAfter(/^[\s\S]*$/, '').body).toEqual({});
    expect(changesAfter('  - a # Red\n  - b', ' a').problems.tags?.[0]).toContain('must be a list');
  });

  test('changed links: keep their numbers', () => {
    const counts = updateOf(inventoryCounts);
    const text = textOf(counts, { items: [{ id: 'a', name: 'Rice', pivot: { quantity: 2 } }] });
    expect(text).toContain('items:\n  - id: a # Rice\n    quantity: 2\n');
    expect(findChanges(counts, text, text.replace('quantity: 2', 'quantity: 3')).body).toEqual({
      items: [{ id: 'a', quantity: 3 }],
    });
  });

  test('numbers: are exact or refused; IDs: stay unchanged', () => {
    const counts = updateOf(inventoryCounts);
    const text = textOf(counts, { items: [{ id: 'a', pivot: { quantity: 2 } }] });
    const { problems } = findChanges(
      counts,
      text,
      text.replace('quantity: 2', 'quantity: 19.999999999999999'),
    );
    expect(problems.items?.[0]).toContain('it would become 20');
    expect(findChanges(counts, text, text.replace('- id: a', '- id: 12345678901234567890')).body).toEqual({
      items: [{ id: '12345678901234567890', quantity: 2 }],
    });
    const zones = updateOf(deliveryZones);
    const ring = textOf(zones, { coordinates: [46.5, 24.5] });
    const changes = findChanges(zones, ring, ring.replace(/46\.5/, '46.50000000000000001'));
    expect(changes.problems.coordinates?.[0]).toContain('it would become 46.5');
  });

  test('lists: are parsed item by item', () => {
    const events = updateOf(timedEvents);
    const text = textOf(events, { order_types: [1, 9] });
    expect(text).toContain('order_types:\n  - dine-in\n  - "9"\n');
    expect(findChanges(events, text, text.replace('- dine-in', '- pickup')).body).toEqual({
      order_types: [2, 9],
    });
    const people = updateOf(users);
    const originalText = textOf(people, { notifications: ['new_transfer_order'], pin: '4821' });
    expect(originalText).not.toContain('4821');
    expect(
      findChanges(people, originalText, originalText.replace('- new_transfer_order', '[]')).body,
    ).toEqual({
      notifications: [],
    });
    expect(findChanges(people, originalText, `${originalText}\npin: "1"\n`).problems).toHaveProperty('pin');
  });
});
