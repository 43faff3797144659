/** Runs `upsert` of every resource in the sandbox: it creates a record once, then updates only changed fields, and restores. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Session } from '../../src/account/session/session.ts';
import { type CompositeOperation, keyFields, upsertOf } from '../../src/api/contract/composite.ts';
import { type BodyField, operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { type Upsert, type UpsertResult, upsertRecord } from '../../src/engine/runs/upsert.ts';
import { hintContaining } from '../harness/hint.ts';
import { configFolder } from '../harness/home-folder.ts';
import { type Client, openClient } from '../sandbox/client.ts';
import { type Body, fullBody } from '../sandbox/examples.ts';
import { settings } from '../session/test-session.ts';

let client: Client;
let session: Session;
const writes: { method: string; target: string; body: unknown }[] = [];
beforeAll(async () => {
  client = await openClient();
  session = new Session({
    api: client.sandbox.api,
    settings,
    env: { BOH_CONFIG_DIR: configFolder },
    embedded: async () => ({
      handle: (request, signal) => {
        const { method, target, body } = request;
        if (method !== 'GET') {
          writes.push({ method, target, body: String(body) === '' ? undefined : JSON.parse(String(body)) });
        }
        return client.sandbox.respond(request, { signal });
      },
      ownerToken: () => client.sandbox.ownerToken(),
    }),
  });
});
afterAll(() => client.sandbox.close());

const takeWrites = () => writes.splice(0);

async function upsert(options: Pick<Upsert, 'operation' | 'body'> & Partial<Upsert>): Promise<UpsertResult> {
  const result = await upsertRecord(session, { onDeleted: 'refuse', ifExists: 'update', ...options });
  if (result.planned) throw new Error('expected a result without --dry-run');
  return result;
}

const upserts = api.collections.flatMap((resource) => upsertOf(resource) ?? []);

/** Returns all fields that can identify the record, because some records of the demo business share single values. */
function identifyingNames(upsert: CompositeOperation, body: Body): string[] {
  const create = upsert.steps.find(({ effect }) => effect === 'create');
  return (create ? keyFields(create) : []).map(({ name }) => name).filter((name) => body[name] !== undefined);
}

/** Returns a text or decimal field that an update accepts and that isn't part of the key. */
function findUpdatableField({ resource }: CompositeOperation, key: readonly string[]): BodyField | undefined {
  return operation(resource, 'update')?.body.find(
    ({ name, field }) =>
      (field.kind === 'text' || field.kind === 'decimal') &&
      (field.traits.form ?? 'person') === 'person' &&
      !field.traits.secret &&
      !field.traits.ignored &&
      !field.traits.unique &&
      !key.includes(name),
  );
}

it('upsert: exists for every resource with list, create and update', () => {
  expect(upserts.map(({ command }) => command)).toEqual(
    api.collections
      .filter(({ list, create, update }) => list && create && update)
      .map(({ command }) => `${command} upsert`),
  );
});

describe.each(upserts.map((operation) => [operation.command, operation] as const))(
  '%s',
  (_, upsertOperation) => {
    const { resource } = upsertOperation;
    const create = operation(resource, 'create');
    let body: Body = {};
    let key: string[] = [];
    let id = '';

    it('creates a missing record once', async () => {
      if (!create) throw new Error('no create');
      body = fullBody(client, create);
      key = identifyingNames(upsertOperation, body);
      // A secret is never returned, so boh can't know whether it is unchanged.
      for (const { name, field } of create.body) if (field.traits.secret) delete body[name];
      const firstResult = await upsert({ operation: upsertOperation, body, key });
      expect(firstResult.outcome).toBe('created');
      id = firstResult.id;
      expect(takeWrites().map(({ method }) => method)).toEqual(['POST']);
      const repeatResult = await upsert({ operation: upsertOperation, body, key });
      expect([repeatResult.outcome, repeatResult.id, takeWrites()]).toEqual(['unchanged', id, []]);
      expect(repeatResult.recordResponse.record.id).toBe(id);
    });

    it('create --if-missing: leaves an existing record unchanged', async () => {
      if (!create) throw new Error('no create');
      const unchanged = await upsert({ operation: create, body, key, ifExists: 'leave' });
      expect([unchanged.outcome, unchanged.id, takeWrites()]).toEqual(['unchanged', id, []]);
    });

    it('sends only the changed fields', async () => {
      const entry = findUpdatableField(upsertOperation, []);
      if (!entry) throw new Error(`${resource.noun} has no field to update`);
      const { name, field } = entry;
      const value = field.kind === 'text' ? 'Another text' : 2.5;
      const otherKeys = key.filter((keyName) => keyName !== name);
      const changed = await upsert({
        operation: upsertOperation,
        body: { ...body, [name]: value },
        key: otherKeys,
      });
      expect([changed.outcome, changed.id]).toEqual(['updated', id]);
      expect(takeWrites()).toEqual([
        { method: 'PUT', target: `${resource.path}/${id}`, body: { [name]: value } },
      ]);
      body = { ...body, [name]: value };
    });

    it.skipIf(!resource.restore || !resource.delete)(
      '--on-deleted restore: restores a deleted record (skipped for resources without restore)',
      async () => {
        client.delete(`${resource.path}/${id}`);
        await expect(upsert({ operation: upsertOperation, body, key })).rejects.toMatchObject({
          category: 'usage',
          message: expect.stringContaining('is deleted. Nothing was sent'),
          details: { hint: hintContaining('--on-deleted restore') },
        });
        expect(takeWrites()).toEqual([]);
        const restored = await upsert({ operation: upsertOperation, body, key, onDeleted: 'restore' });
        expect([restored.outcome, restored.id, restored.recordResponse.record.deleted_at]).toEqual([
          'restored',
          id,
          null,
        ]);
        expect(takeWrites()).toEqual([
          { method: 'PUT', target: `${resource.path}/${id}/restore`, body: undefined },
        ]);
      },
    );
  },
);
