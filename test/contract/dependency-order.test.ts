import { describe, expect, test } from 'vitest';
import { defineApi } from '../../src/api/contract/api.ts';
import { isStoredByTarget } from '../../src/api/contract/dependency-order.ts';
import { many, one, text } from '../../src/api/contract/field.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { resource } from '../../src/api/contract/resource.ts';
import { api } from '../../src/api/resources/index.ts';
import { toy } from './toy-contract.ts';

const deferredRelations = (order: ReturnType<typeof api.dependencyOrder>) =>
  Object.fromEntries(
    order.flatMap(({ resource: { name }, deferredRelations: fields }) =>
      fields.length > 0 ? [[name, fields]] : [],
    ),
  );

test('dependency order: a resource comes after the resource that it refers to', () => {
  const order = toy.dependencyOrder();
  expect(order.map(({ resource: { name } }) => name)).toEqual(['cooks', 'recipes']);
  expect(deferredRelations(order)).toEqual({});
});

describe('dependency order of the API', () => {
  const order = api.dependencyOrder();
  const position = new Map(order.map(({ resource: { name } }, index) => [name, index]));

  test('contains every collection once', () => {
    expect([...position.keys()].sort()).toEqual(api.collections.map(({ name }) => name).sort());
  });

  test('targets of new records come first, or their relations are deferred', () => {
    for (const { resource: createResource, deferredRelations: fields } of order) {
      for (const { responseName, field } of operation(createResource, 'create')?.body ?? []) {
        const { target = '' } = field.traits;
        if (!api.resource(target) || isStoredByTarget(api, field) || fields.includes(responseName)) continue;
        const [ownPosition, targetPosition] = [
          position.get(createResource.name) ?? -1,
          position.get(target) ?? -1,
        ];
        expect(ownPosition, `${createResource.name}.${responseName}`).toBeGreaterThan(targetPosition);
      }
    }
  });

  test('only relations within the same resource are deferred', () => {
    expect(deferredRelations(order)).toEqual({ groups: ['subgroups'], inventory_items: ['ingredients'] });
  });

  test('relations of nested objects count', () => {
    for (const target of ['tax_groups', 'inventory_items'])
      expect(position.get('modifiers')).toBeGreaterThan(position.get(target) ?? -1);
  });

  test('isStoredByTarget: is true at one end of a link only', () => {
    const [users, roles] = [api.resource('users'), api.resource('roles')];
    expect(isStoredByTarget(api, roles?.fields.users ?? text())).toBe(true);
    expect(isStoredByTarget(api, users?.fields.roles ?? text())).toBe(false);
  });
});

test('dependency order of a cycle of two resources: starts with the one whose relation is optional', () => {
  const createResource = (name: string, fields: Parameters<typeof resource>[0]['fields']) =>
    resource({
      path: `/${name}s`,
      one: name,
      group: 'menu',
      summary: name,
      key: [],
      exampleKey: `${name}-1`,
      columns: ['id'],
      fields,
      create: { scope: 'menu.write' },
      update: { scope: 'menu.write' },
    });
  const hen = createResource('hen', () => ({
    id: text(),
    eggs: many('eggs').writable(),
    first: one('eggs').required().writable(),
  }));
  const egg = createResource('egg', () => ({ id: text(), hen: one('hens').writable() }));
  const order = defineApi({ resources: [hen, egg] }).dependencyOrder();
  expect(order.map(({ resource: { name } }) => name)).toEqual(['eggs', 'hens']);
  expect(deferredRelations(order)).toEqual({ eggs: ['hen'] });
});
