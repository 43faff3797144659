/** Calls every operation of the contract on the sandbox: it responds, requires its scope, and returns 404 for unknown records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWrite, type Operation, operation, operations } from '../../src/api/contract/operation.ts';
import { scopeNames } from '../../src/api/contract/scope.ts';
import { api } from '../../src/api/resources/index.ts';
import { type Client, openClient, startOfTests } from '../sandbox/client.ts';
import { deviations } from '../sandbox/conformity.ts';
import {
  asRequestBody,
  existingId,
  fullBody,
  minimalBody,
  newRecordId,
  pathOf,
} from '../sandbox/examples.ts';

let now = startOfTests;
let client: Client;
beforeAll(async () => {
  client = await openClient({ machineClock: () => now });
});
afterAll(() => client.sandbox.close());

const allOperations = api.resources.flatMap(operations);
const titleOf = (tested: Operation) => `${tested.method} ${tested.path} (${tested.verb})`;

/** Creates and returns IDs that the operation can be called with; records to restore are deleted, and records to unlink are linked. */
function idsFor({ effect, params, resource, verb }: Operation): string[] {
  const ids = params.map(({ target }, index) =>
    index === 0 && effect !== 'get' && effect !== 'act'
      ? newRecordId(client, resource.name)
      : existingId(client, target),
  );
  if (effect === 'restore') client.delete(`${resource.path}/${ids[0]}`);
  const link = effect === 'unlink' ? operation(resource, verb.replace('un', '')) : undefined;
  if (link) call(link, ids);
  return ids;
}

function call(tested: Operation, ids: readonly string[], caller: Client = client) {
  const path = pathOf(tested, ids);
  const body = fullBody(client, tested);
  if (tested.effect === 'act') return caller.get(`${path}?order_id=${body.order_id}`);
  return caller.send(tested.method, path, isWrite(tested) ? JSON.stringify(body) : '');
}

describe('operation in the sandbox', () => {
  it.each(allOperations.map((tested) => [titleOf(tested), tested] as const))(
    '%s returns a response',
    (_, tested) => {
      const { status, json } = call(tested, tested.resource.singleton ? [] : idsFor(tested));
      expect([status, json?.errors ?? json?.message]).toEqual([
        tested.effect === 'create' ? 201 : 200,
        undefined,
      ]);
      if (tested.response === 'nothing') expect(json).toBeUndefined();
      const records =
        tested.response === 'records' ? json.data : tested.response === 'record' ? [json.data] : [];
      for (const record of records) expect(deviations(tested.resource.fields, record)).toEqual([]);
    },
  );

  it.each(allOperations.map((tested) => [titleOf(tested), tested] as const))(
    '%s requires its scope',
    (_, tested) => {
      // If the API document lists no scope for a delete, the sandbox requires the scope of the update.
      const { scopes } =
        tested.scopes.length === 0 ? (operation(tested.resource, 'update') ?? tested) : tested;
      const otherScopes = scopeNames.filter((scope) => !scopes.includes(scope));
      const { status, json } = call(
        tested,
        tested.params.map(() => 'nothing'),
        client.with(...otherScopes),
      );
      if (scopes.length === 0) return expect(status).not.toBe(403);
      expect(status).toBe(403);
      for (const scope of scopes) expect(json.message).toContain(scope);
    },
  );

  it.each(
    allOperations
      .filter(({ params }) => params.length > 0)
      .map((tested) => [titleOf(tested), tested] as const),
  )('%s returns 404 for an unknown record', (_, tested) => {
    const { status, json } = call(
      tested,
      tested.params.map(() => 'nothing'),
    );
    expect([status, json]).toEqual([404, { message: 'Not found.' }]);
  });
});

describe.each(
  api.collections.filter((resource) => resource.create).map((resource) => [resource.name, resource] as const),
)('sandbox resource: %s', (_, resource) => {
  const creation = operation(resource, 'create') as Operation;

  it('creates a record from only the required fields', () => {
    const id = newRecordId(client, resource.name);
    const { json } = client.get(`${resource.path}/${id}`);
    expect(deviations(resource.fields, json.data)).toEqual([]);
  });

  it('reports all missing required fields at once', () => {
    const { status, json } = client.post(resource.path, {});
    const required = Object.keys(minimalBody(client, creation));
    if (required.length === 0) return expect(status).toBe(201);
    expect(status).toBe(422);
    expect(Object.keys(json.errors).sort()).toEqual(required.sort());
  });

  it('returns the values that an update sent', () => {
    const id = newRecordId(client, resource.name);
    const body = fullBody(client, operation(resource, 'update') as Operation);
    const { status, json } = client.put(`${resource.path}/${id}`, body);
    expect([status, json.errors]).toEqual([200, undefined]);
    expect(client.get(`${resource.path}/${id}`).json).toEqual(json);
    const objectFields = Object.keys(resource.fields).filter(
      (name) => resource.fields[name]?.kind === 'objects',
    );
    const includedRecord =
      client.get(`${resource.path}/${id}?include=${objectFields}`).json?.data ?? json.data;
    for (const [name, value] of Object.entries(body)) {
      const field = resource.fields[name];
      const returned = field ? json.data[name] : json.data[name.replace(/_id$/, '')].id;
      if (field?.traits.secret) expect(returned).toBe('****');
      else if (field?.kind === 'objects') expect(asRequestBody(field, includedRecord[name])).toEqual(value);
      else if (field?.kind === 'many') expect(returned[0].id).toBe((value as { id: string }[])[0]?.id);
      else expect(returned).toEqual(value);
    }
  });

  it('refuses unknown and read-only fields', () => {
    const body = {
      ...minimalBody(client, creation),
      id: 'mine',
      nonsense: 1,
      created_at: '2026-01-01 00:00:00',
    };
    const { status, json } = client.post(resource.path, body);
    expect(status).toBe(422);
    expect(Object.keys(json.errors)).toEqual(expect.arrayContaining(['id', 'nonsense', 'created_at']));
  });

  it('refuses values of another type', () => {
    const invalidValues = creation.body
      .filter(({ field }) => field.kind !== 'unit')
      .map(({ name }) => [name, { a: [true] }]);
    const { status, json } = client.post(resource.path, Object.fromEntries(invalidValues));
    expect(status).toBe(422);
    expect(Object.keys(json.errors).map((path) => path.split('.')[0])).toEqual(
      expect.arrayContaining(invalidValues.map(([name]) => name)),
    );
  });

  it('changes updated_at with every write', () => {
    const id = newRecordId(client, resource.name);
    const target = `${resource.path}/${id}`;
    const updatedAt = () => client.get(target).json.data.updated_at;
    const before = updatedAt();
    now += 60_000;
    client.put(target, {});
    expect(updatedAt() > before).toBe(true);
  });

  it('get of a deleted record: returns it with deleted_at or 404; restore works if the resource has it', () => {
    const id = newRecordId(client, resource.name);
    const target = `${resource.path}/${id}`;
    client.delete(target);
    const { status, json } = client.get(target);
    if (!resource.fields.deleted_at) return expect(status).toBe(404);
    expect(json.data.deleted_at).not.toBeNull();
    expect(client.put(target, {}).status).toBe(404);
    expect(client.delete(target).status).toBe(404);
    if (!resource.restore) return;
    expect(client.put(`${target}/restore`).status).toBe(200);
    expect(client.get(target).json.data.deleted_at).toBeNull();
    expect(client.put(`${target}/restore`).status).toBe(404);
  });
});
