import { describe, expect, test } from 'vitest';
import { defineApi } from '../../src/contract/api.ts';
import { integer, object, one, text } from '../../src/contract/field.ts';
import { resource } from '../../src/contract/resource.ts';
import { mirroredResource } from '../../src/mirror/schema/derive.ts';
import { fc } from '../harness/fast-check.ts';

/** Boxes have what records have in their own row: values, a relation, and an object with values inside. */
const boxes = resource({
  path: '/boxes',
  one: 'box',
  group: 'inventory',
  summary: 'What is packed',
  key: ['name'],
  known: 'Blue',
  columns: ['id', 'name'],
  fields: () => ({
    id: text().about('Its id'),
    name: text().about('Its name'),
    shelf: one('boxes').about('The box that it stands on'),
    size: object({
      width: integer().about('How wide'),
      depth: integer().about('How deep'),
    }).about('How large it is'),
  }),
  list: { scope: 'general.read', filters: [] },
});
defineApi({ resources: [boxes] });

function columnsOf(record: Record<string, unknown>, excluded: string[] = []): Record<string, unknown> {
  const mirrored = mirroredResource(boxes, new Map([['boxes', new Set(excluded)]]));
  const { own } = mirrored.rows(record, 1);
  return Object.fromEntries(mirrored.main.columns.map(({ name }, at) => [name, own[at]]));
}

const permutation = <T>(all: T[]) => fc.shuffledSubarray(all, { minLength: all.length });

const record = {
  id: 'a',
  name: 'Blue',
  shelf: { id: 'b', name: 'Red' },
  size: { width: 3, depth: '4' },
  colour: 'blue',
};
const columns = {
  id: 'a',
  name: 'Blue',
  shelf_id: 'b',
  size_width: 3,
  size_depth: 4,
  other_fields: '{"colour":"blue"}',
  mirror_walk: 1,
};

describe('the cells of a record', () => {
  test('are the same in whatever order it shows its fields, and whatever was read before', () => {
    const mirrored = mirroredResource(boxes);
    const expected = mirrored.rows(record, 1).own;
    expect(columnsOf(record)).toEqual(columns);
    const fields = Object.entries(record);
    fc.assert(
      fc.property(fc.shuffledSubarray(fields), permutation(fields), (some, all) => {
        mirrored.rows(Object.fromEntries(some), 1);
        expect(mirrored.rows(Object.fromEntries(all), 1).own).toEqual(expected);
      }),
    );
  });

  test('are empty where it shows nothing', () => {
    const empty = { name: null, shelf_id: null, size_width: null, size_depth: null, other_fields: null };
    expect(columnsOf({ id: 'a' })).toEqual({ ...columns, ...empty });
    expect(columnsOf({ id: 'a', name: null, shelf: null, size: null })).toEqual({ ...columns, ...empty });
  });

  test('take a relation from its id alone', () => {
    expect(columnsOf({ id: 'a', shelf_id: 'b' })).toMatchObject({ shelf_id: 'b', other_fields: null });
  });

  test('leave out what is not to be held, inside of objects as well', () => {
    const without = columnsOf(record, ['boxes.size.width', 'size.width', 'name']);
    expect(without).toEqual({ ...columns, size_width: null, name: null });
    // What can’t be taken apart is not kept beside: it may hold what is left out.
    expect(columnsOf({ ...record, size: 'S' }, ['size'])).toMatchObject({
      size_width: null,
      size_depth: null,
      other_fields: '{"colour":"blue"}',
    });
  });

  test('are kept beside where they fit no column, and are told', () => {
    const mirrored = mirroredResource(boxes);
    const { own } = mirrored.rows({ ...record, size: { width: 'wide', depth: 4 }, name: ['Blue'] }, 1);
    expect(JSON.parse(String(own.at(-2)))).toEqual({ name: ['Blue'], width: 'wide', colour: 'blue' });
    expect([...mirrored.unusual.unknown]).toEqual(['colour']);
    expect([...mirrored.unusual.unfit].sort()).toEqual(['name', 'width']);
  });
});
