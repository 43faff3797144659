/** Every operation of the contract over HTTP gets the same response as within a process. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWrite, type Operation, operation, operations } from '../../src/contract/operation.ts';
import { api } from '../../src/resources/index.ts';
import { listen, type ServedSandbox } from '../../src/sandbox/server/listen.ts';
import { type Client, openClient } from './client.ts';
import { deviations } from './conformity.ts';
import { existingId, fullBody, newRecordId, pathOf } from './examples.ts';

let client: Client;
let served: ServedSandbox;
const bugs: unknown[] = [];
beforeAll(async () => {
  client = await openClient();
  const onBug = (error: unknown) => bugs.push(error);
  served = await listen(client.sandbox, {
    port: 0,
    apiPrefix: '',
    isAutoApproved: false,
    createOpenApi: () => ({}),
    onUnexpectedError: onBug,
  });
});
afterAll(async () => {
  await served.close();
  client.sandbox.close();
});

const all = api.resources.flatMap(operations);

async function idsFor({ effect, params, resource, verb }: Operation): Promise<string[]> {
  const isNew = (index: number) => index === 0 && effect !== 'get' && effect !== 'act';
  const ids = params.map(({ target }, index) =>
    isNew(index) ? newRecordId(client, resource.name) : existingId(client, target),
  );
  if (effect === 'restore') await call('DELETE', `${resource.path}/${ids[0]}`);
  const link = effect === 'unlink' ? operation(resource, verb.replace('un', '')) : undefined;
  if (link) await call('POST', pathOf(link, ids), fullBody(client, link));
  return ids;
}

async function call(method: string, target: string, body?: object) {
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
  const answer = await fetch(served.baseUrl + target, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) };
}

describe('over HTTP', () => {
  it.each(all.map((given) => [`${given.method} ${given.path} (${given.verb})`, given] as const))(
    '%s answers',
    async (_, given) => {
      const path = pathOf(given, await idsFor(given));
      const body = fullBody(client, given);
      const target = given.effect === 'act' ? `${path}?order_id=${body.order_id}` : path;
      const hasBody = isWrite(given) && given.method !== 'GET' && given.body.length > 0;
      const { status, json } = await call(given.method, target, hasBody ? body : undefined);
      expect([status, json?.errors]).toEqual([given.effect === 'create' ? 201 : 200, undefined]);
      const { response: answer, resource } = given;
      const records = answer === 'records' ? json.data : answer === 'record' ? [json.data] : [];
      for (const record of records) expect(deviations(resource.fields, record)).toEqual([]);
      expect(bugs).toEqual([]);
    },
  );
});
