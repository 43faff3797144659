/** Every operation of the contract, called on the sandbox: it responds, requires its scope, and returns 404 for unknown records. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWrite, type Operation, operation, operations } from '../../src/contract/operation.ts';
import { scopeNames } from '../../src/contract/scope.ts';
import { api } from '../../src/resources/index.ts';
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

const all = api.resources.flatMap(operations);
const named = (given: Operation) => `${given.method} ${given.path} (${given.verb})`;

/** Ids that the operation can be called with: new records where it changes them, deleted or linked where it needs that. */
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

function call(given: Operation, ids: readonly string[], as: Client = client) {
  const path = pathOf(given, ids);
  const body = fullBody(client, given);
  if (given.effect === 'act') return as.get(`${path}?order_id=${body.order_id}`);
  return as.ask(given.method, path, isWrite(given) ? JSON.stringify(body) : '');
}

describe('operations of the contract in the sandbox', () => {
  it.each(all.map((given) => [named(given), given] as const))('%s returns a response', (_, given) => {
    const { status, json } = call(given, given.resource.singleton ? [] : idsFor(given));
    expect([status, json?.errors ?? json?.message]).toEqual([
      given.effect === 'create' ? 201 : 200,
      undefined,
    ]);
    if (given.response === 'nothing') expect(json).toBeUndefined();
    const records = given.response === 'records' ? json.data : given.response === 'record' ? [json.data] : [];
    for (const record of records) expect(deviations(given.resource.fields, record)).toEqual([]);
  });

  it.each(all.map((given) => [named(given), given] as const))('%s requires its scope', (_, given) => {
    // Where the document shows none for a record's deletion, that of its change is demanded.
    const { scopes } = given.scopes.length === 0 ? (operation(given.resource, 'update') ?? given) : given;
    const others = scopeNames.filter((scope) => !scopes.includes(scope));
    const { status, json } = call(
      given,
      given.params.map(() => 'nothing'),
      client.with(...others),
    );
    if (scopes.length === 0) return expect(status).not.toBe(403);
    expect(status).toBe(403);
    for (const scope of scopes) expect(json.message).toContain(scope);
  });

  it.each(all.filter(({ params }) => params.length > 0).map((given) => [named(given), given] as const))(
    '%s returns 404 for an unknown record',
    (_, given) => {
      const { status, json } = call(
        given,
        given.params.map(() => 'nothing'),
      );
      expect([status, json]).toEqual([404, { message: 'Not found.' }]);
    },
  );
});

describe.each(
  api.collections.filter((resource) => resource.create).map((resource) => [resource.name, resource] as const),
)('sandbox resource: %s', (_, resource) => {
  const creation = operation(resource, 'create') as Operation;

  it('creates a record from the required fields alone', () => {
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
    const parts = Object.keys(resource.fields).filter((name) => resource.fields[name]?.kind === 'objects');
    const whole = client.get(`${resource.path}/${id}?include=${parts}`).json?.data ?? json.data;
    for (const [name, value] of Object.entries(body)) {
      const field = resource.fields[name];
      const shown = field ? json.data[name] : json.data[name.replace(/_id$/, '')].id;
      if (field?.traits.secret) expect(shown).toBe('****');
      else if (field?.kind === 'objects') expect(asRequestBody(field, whole[name])).toEqual(value);
      else if (field?.kind === 'many') expect(shown[0].id).toBe((value as { id: string }[])[0]?.id);
      else expect(shown).toEqual(value);
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
    const wrong = creation.body
      .filter(({ field }) => field.kind !== 'unit')
      .map(({ name }) => [name, { a: [true] }]);
    const { status, json } = client.post(resource.path, Object.fromEntries(wrong));
    expect(status).toBe(422);
    expect(Object.keys(json.errors).map((path) => path.split('.')[0])).toEqual(
      expect.arrayContaining(wrong.map(([name]) => name)),
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

  it('deleted record: is a deleted record or gives 404, and is restored if the resource allows it', () => {
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
