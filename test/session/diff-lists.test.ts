import { describe, expect, it } from 'vitest';
import { changedLists, removedValues } from '../../src/account/session/diff/lists.ts';
import { many, words } from '../../src/api/contract/field.ts';
import type { BodyField } from '../../src/api/contract/operation.ts';

function entry(name: string, field = many('tags')): BodyField {
  return { name, responseName: name, field, isRequired: false, mustBeSent: false };
}
const tags = entry('tags');
const current = { body: { tags: [{ id: 'a' }, { id: 'b' }], kinds: ['x', 'y'] }, unknown: ['users'] };

describe('changedLists', () => {
  it.each([
    [[{ id: 'c' }], [], ['a', 'b', 'c']],
    [[], [{ id: 'a' }], ['b']],
    [[{ id: 'c' }], [{ id: 'b' }], ['a', 'c']],
    [[{ id: 'a' }, { id: 'a' }], [], ['a', 'b']],
    [[], [{ id: 'z' }], ['a', 'b']],
    [[], [{ id: 'a' }, { id: 'b' }], []],
  ])('adding %j and removing %j: results in %j', (add, remove, ids) => {
    expect(changedLists([{ entry: tags, add, remove }], current)).toEqual({
      tags: ids.map((id) => ({ id })),
    });
  });

  it('adding an item again: changes its quantity, and keeps the quantities of other items', () => {
    const items = entry('items');
    const body = {
      items: [
        { id: 'a', quantity: 1 },
        { id: 'b', quantity: 2 },
      ],
    };
    expect(
      changedLists([{ entry: items, add: [{ id: 'b', quantity: 5 }], remove: [] }], { body, unknown: [] }),
    ).toEqual({
      items: [
        { id: 'a', quantity: 1 },
        { id: 'b', quantity: 5 },
      ],
    });
  });

  it('a list of words: adds and removes words', () => {
    const kinds = entry('kinds', words(['x', 'y', 'z']));
    expect(changedLists([{ entry: kinds, add: ['z'], remove: ['x'] }], current)).toEqual({
      kinds: ['y', 'z'],
    });
  });

  it('a record without a list: creates the list', () => {
    expect(
      changedLists([{ entry: tags, add: [{ id: 'a' }], remove: [] }], { body: { tags: null }, unknown: [] }),
    ).toEqual({
      tags: [{ id: 'a' }],
    });
  });

  it("a list that the service doesn't return: is refused", () => {
    expect(() => changedLists([{ entry: entry('users'), add: [{ id: 'a' }], remove: [] }], current)).toThrow(
      'users',
    );
  });
});

it('removedValues: returns the values that the other list does not contain', () => {
  expect(removedValues([{ id: 'a' }, { id: 'b' }], [{ id: 'b' }])).toEqual([{ id: 'a' }]);
  expect(removedValues(['x', 'y'], [])).toEqual(['x', 'y']);
  expect(removedValues(null, [{ id: 'b' }])).toEqual([]);
});
