import { describe, expect, test } from 'vitest';
import { isWrite, operation, operations } from '../../src/api/contract/operation.ts';
import { jars, shelves, toyOperation, toys } from './toy.ts';

const line = ({ verb, method, path, scopes, response }: ReturnType<typeof operations>[number]) =>
  `${verb}: ${method} ${path} [${scopes.join(' ')}] -> ${response}`;

test('operations: derives the operations of a resource from its declaration', () => {
  expect(operations(shelves).map(line)).toEqual([
    'list: GET /shelves [general.read] -> records',
    'get: GET /shelves/{shelfId} [general.read] -> record',
    'create: POST /shelves [admin.write menu.write] -> record',
    'update: PUT /shelves/{shelfId} [admin.write] -> record',
    'delete: DELETE /shelves/{shelfId} [admin.write] -> nothing',
    'link-jar: POST /shelves/{shelfId}/jars/{jarId} [admin.write] -> record',
    'unlink-jar: DELETE /shelves/{shelfId}/jars/{jarId} [admin.write] -> nothing',
  ]);
  expect(operations(jars).map(line)).toEqual([
    'create: POST /jars [admin.write] -> record',
    'update: PUT /jars/{jarId} [admin.write] -> record',
    'restore: PUT /jars/{jarId}/restore [admin.restore] -> nothing',
    'shake: GET /jars/{jarId} [admin.write] -> record',
  ]);
});

test('operation: returns undefined for an undeclared verb', () => {
  expect(operation(jars, 'list')).toBeUndefined();
  expect(operation(shelves, 'restore')).toBeUndefined();
  expect(operation(shelves, 'constructor')).toBeUndefined();
});

test('isWrite: is true for all operations except list and get, also for an action with GET', () => {
  const readOperations = toys.flatMap(operations).filter((candidate) => !isWrite(candidate));
  expect(readOperations.map(({ verb }) => verb)).toEqual(['list', 'get']);
  expect(isWrite(toyOperation(jars, 'shake'))).toBe(true);
});

describe('request body', () => {
  const fieldsOf = (verb: string) =>
    toyOperation(shelves, verb).body.map(({ name, field }) => `${name} ${field.kind}`);

  test('has fields in the order of their declaration, and relations named after their ID', () => {
    expect(fieldsOf('create')).toEqual(['name text', 'jars many', 'keeper_id one']);
  });

  test('of a link: has the fields of the pivot', () => {
    expect(fieldsOf('link-jar')).toEqual(['quantity decimal', 'place integer']);
    expect(fieldsOf('unlink-jar')).toEqual([]);
  });
});

test('params: contain the IDs of the path with their resources, in order', () => {
  expect(toyOperation(shelves, 'link-jar').params).toEqual([
    { name: 'shelfId', target: 'shelves' },
    { name: 'jarId', target: 'jars' },
  ]);
  expect(toyOperation(shelves, 'create').params).toEqual([]);
});
