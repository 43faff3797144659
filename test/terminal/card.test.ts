import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type CardEntry, renderCard } from '../../src/cli/terminal/card.ts';
import { dangerous, hostileTexts } from './fake-streams.ts';

const entries: CardEntry[] = [
  { name: 'name', label: 'Name' },
  { name: 'phone', label: 'Phone' },
  { name: 'is_active', label: 'Active', show: (value) => (value === true ? 'yes' : 'no') },
  { name: 'category', label: 'Category', entries: [{ name: 'name', label: 'Name' }] },
  {
    name: 'items',
    label: 'Items',
    entries: [
      { name: 'name', label: 'Item' },
      { name: 'pivot.cost', label: 'Cost' },
    ],
  },
];
const supplier = {
  name: 'Fresh Farms',
  phone: null,
  is_active: true,
  category: { name: 'مَزَارِع' },
  items: [
    { name: 'Tomato', pivot: { cost: 2.5 } },
    { name: 'Onion', pivot: { cost: null } },
  ],
};

describe('card', () => {
  test('shows one line for each item', () => {
    const tags = {
      name: 'tags',
      label: 'Tags',
      formatItem: (tag: unknown) => `${(tag as { name: string }).name}\x1b[2J`,
    };
    const card = renderCard([tags], { tags: [{ name: 'Red' }, { name: 'Blue' }] });
    expect(card).toBe('Tags:\n  - Red␛[2J\n  - Blue␛[2J\n');
    expect(renderCard([tags], { tags: [] })).toBe('Tags:  –\n');
  });

  test('a long list: shows the number of omitted items', () => {
    const items = Array.from({ length: 5 }, (_, index) => ({
      name: `Item ${index}`,
      pivot: { cost: index },
    }));
    const card = renderCard(entries.slice(-1), { items }, { maxItems: 2 });
    expect(card.match(/- Item/g)).toHaveLength(2);
    expect(card).toContain('  … and 3 more; --wide shows all\n');
    expect(renderCard(entries.slice(-1), { items })).not.toContain('more');
  });

  test('has a label and its value in each line, with relations and pivots indented', () => {
    expect(renderCard(entries, supplier)).toBe(
      [
        'Name:      Fresh Farms',
        'Phone:     –',
        'Active:    yes',
        'Category:',
        '  Name:  مَزَارِع',
        'Items:',
        '  - Item:  Tomato',
        '    Cost:  2.5',
        '  - Item:  Onion',
        '    Cost:  –',
        '',
      ].join('\n'),
    );
  });

  test('shows an empty relation, and one that was not included, as no value', () => {
    expect(renderCard(entries.slice(4), { items: [] }, { unicode: false })).toBe('Items:  -\n');
    expect(renderCard(entries.slice(4), {})).toBe('Items:  –\n');
  });

  test('aligns the lines of a text, and cuts nothing', () => {
    const text = `first\nsecond ${'x'.repeat(500)}`;
    expect(renderCard(entries.slice(0, 1), { name: text })).toBe(
      `Name:\n  first\n  second ${'x'.repeat(500)}\n`,
    );
  });

  test('2,000 related records and lines: shows all of them', () => {
    const items = Array.from({ length: 2_000 }, (_, index) => ({
      name: `Item ${index}`,
      pivot: { cost: index },
    }));
    const card = renderCard(entries, { name: 'line\n'.repeat(2_000), items });
    expect(card.split('\n').length).toBeGreaterThan(6_000);
  });

  test('in color: differs only in its styles', () => {
    const colored = renderCard(entries, supplier, { color: true });
    expect(colored).toContain('\x1b[1m');
    expect(stripVTControlCharacters(colored)).toBe(renderCard(entries, supplier));
  });

  test.each(Object.entries(hostileTexts))('replaces %s', (_, name) => {
    const card = renderCard(entries, { name, items: [{ name }] });
    expect(card.replaceAll('\n', '')).not.toMatch(dangerous);
  });
});

describe('card in a window', () => {
  const entries = [
    { name: 'name', label: 'name' },
    { name: 'notes', label: 'notes' },
    { name: 'items', label: 'items', formatItem: String },
  ];
  const record = {
    name: 'Flour',
    notes: 'Deliver before noon, ring twice',
    items: ['one two three four five'],
  };

  test("text too wide for its label's line: is printed below it, broken at spaces", () => {
    expect(renderCard(entries, record, { width: 20 })).toBe(
      'name:   Flour\nnotes:\n  Deliver before\n  noon, ring twice\nitems:\n  - one two three\n    four five\n',
    );
  });

  test('without a window: no text is broken', () => {
    expect(renderCard(entries, record)).toContain('notes:  Deliver before noon, ring twice\n');
  });
});
