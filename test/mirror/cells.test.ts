import { describe, expect, test } from 'vitest';
import { defineApi } from '../../src/api/contract/api.ts';
import { integer, object, one, text } from '../../src/api/contract/field.ts';
import { resource } from '../../src/api/contract/resource.ts';
import { mirroredResource } from '../../src/engine/mirror/schema/derive.ts';
import { fc } from '../harness/fast-check.ts';

/** A resource with every kind of column: values, a relation, and an object with nested values. */
const boxes = resource({
  path: '/boxes',
  one: 'box',
  group: 'inventory',
  summary: 'Storage boxes',
  key: ['name'],
  exampleKey: 'Blue',
  columns: ['id', 'name'],
  fields: () => ({
    id: text().describe('Box ID'),
    name: text().describe('Box name'),
    shelf: one('boxes').describe('The box below it'),
    size: object({
      width: integer().describe('Width'),
      depth: integer().describe('Depth'),
    }).describe('Size'),
  }),
  list: { scope: 'general.read', filters: [] },
});
defineApi({ resources: [boxes] });

function columnsOf(record: Record<string, unknown>, excluded: string[] = []): Record<string, unknown> {
  const mirroredBoxes = mirroredResource(boxes, new Map([['boxes', new Set(excluded)]]));
  const { mainRow } = mirroredBoxes.rows(record, 1);
  return Object.fromEntries(mirroredBoxes.main.columns.map(({ name }, index) => [name, mainRow[index]]));
}

const permutation = <T>(shuffledFields: T[]) =>
  fc.shuffledSubarray(shuffledFields, { minLength: shuffledFields.length });

const record = {
  id: 'a',
  name: 'Blue',
  shelf: { id: 'b', name: 'Red' },
  size: { width: 3, depth: '4' },
  color: 'blue',
};
const columns = {
  id: 'a',
  name: 'Blue',
  shelf_id: 'b',
  size_width: 3,
  size_depth: 4,
  other_fields: '{"color":"blue"}',
  mirror_walk: 1,
};

describe('mirror cells of a record', () => {
  test('do not depend on the order of the fields, nor on records read before', () => {
    const mirroredBoxes = mirroredResource(boxes);
    const expected = mirroredBoxes.rows(record, 1).mainRow;
    expect(columnsOf(record)).toEqual(columns);
    const fields = Object.entries(record);
    fc.assert(
      fc.property(fc.shuffledSubarray(fields), permutation(fields), (otherFields, shuffledFields) => {
        mirroredBoxes.rows(Object.fromEntries(otherFields), 1);
        expect(mirroredBoxes.rows(Object.fromEntries(shuffledFields), 1).mainRow).toEqual(expected);
      }),
    );
  });

  test('are null for missing fields', () => {
    const emptyCells = { name: null, shelf_id: null, size_width: null, size_depth: null, other_fields: null };
    expect(columnsOf({ id: 'a' })).toEqual({ ...columns, ...emptyCells });
    expect(columnsOf({ id: 'a', name: null, shelf: null, size: null })).toEqual({
      ...columns,
      ...emptyCells,
    });
  });

  test('contain the ID of a relation that the response only has as an ID field', () => {
    expect(columnsOf({ id: 'a', shelf_id: 'b' })).toMatchObject({ shelf_id: 'b', other_fields: null });
  });

  test('exclude fields, also inside objects', () => {
    const cells = columnsOf(record, ['boxes.size.width', 'size.width', 'name']);
    expect(cells).toEqual({ ...columns, size_width: null, name: null });
    // A value that isn't an object isn't stored as JSON, because it may contain excluded data.
    expect(columnsOf({ ...record, size: 'S' }, ['size'])).toMatchObject({
      size_width: null,
      size_depth: null,
      other_fields: '{"color":"blue"}',
    });
  });

  test('store values that fit no column as JSON, and report their fields', () => {
    const mirroredBoxes = mirroredResource(boxes);
    const { mainRow } = mirroredBoxes.rows(
      { ...record, size: { width: 'wide', depth: 4 }, name: ['Blue'] },
      1,
    );
    expect(JSON.parse(String(mainRow.at(-2)))).toEqual({ name: ['Blue'], width: 'wide', color: 'blue' });
    expect([...mirroredBoxes.unusual.unknown]).toEqual(['color']);
    expect([...mirroredBoxes.unusual.mismatched].sort()).toEqual(['name', 'width']);
  });
});
