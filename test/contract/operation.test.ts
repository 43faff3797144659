import { describe, expect, test } from 'vitest';
import { isWrite, operation, operations } from '../../src/contract/operation.ts';
import { jars, shelves, toyOperation, toys } from './toy.ts';

const line = ({ verb, method, path, scopes, response }: ReturnType<typeof operations>[number]) =>
  `${verb}: ${method} ${path} [${scopes.join(' ')}] -> ${response}`;

test('operations of a resource: follow from its declaration', () => {
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

test('undeclared operation: does not exist', () => {
  expect(operation(jars, 'list')).toBeUndefined();
  expect(operation(shelves, 'restore')).toBeUndefined();
  expect(operation(shelves, 'constructor')).toBeUndefined();
});

test('writes: are all operations except list and get, also a GET with an effect', () => {
  const readOperations = toys.flatMap(operations).filter((each) => !isWrite(each));
  expect(readOperations.map(({ verb }) => verb)).toEqual(['list', 'get']);
  expect(isWrite(toyOperation(jars, 'shake'))).toBe(true);
});

describe('request body', () => {
  const fieldsOf = (verb: string) =>
    toyOperation(shelves, verb).body.map(({ name, field }) => `${name} ${field.kind}`);

  test('has fields in the order of their declaration, and relations under their id', () => {
    expect(fieldsOf('create')).toEqual(['name text', 'jars many', 'keeper_id one']);
  });

  test('of a link: has the values of the link', () => {
    expect(fieldsOf('link-jar')).toEqual(['quantity decimal', 'place integer']);
    expect(fieldsOf('unlink-jar')).toEqual([]);
  });
});

test('ids in a path: name their resources, in order', () => {
  expect(toyOperation(shelves, 'link-jar').params).toEqual([
    { name: 'shelfId', target: 'shelves' },
    { name: 'jarId', target: 'jars' },
  ]);
  expect(toyOperation(shelves, 'create').params).toEqual([]);
});
