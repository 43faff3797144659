/** Tests that every operation of the contract succeeds over HTTP, with records that match the contract. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isWrite, type Operation, operation, operations } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { listen, type ServedSandbox } from '../../src/sandbox/server/listen.ts';
import { type Client, openClient } from './client.ts';
import { deviations } from './conformity.ts';
import { existingId, fullBody, newRecordId, pathOf } from './examples.ts';

let client: Client;
let served: ServedSandbox;
const unexpectedErrors: unknown[] = [];
beforeAll(async () => {
  client = await openClient();
  const onUnexpectedError = (error: unknown) => unexpectedErrors.push(error);
  served = await listen(client.sandbox, {
    port: 0,
    apiPrefix: '',
    isAutoApproved: false,
    createOpenApi: () => ({}),
    onUnexpectedError,
  });
});
afterAll(async () => {
  await served.close();
  client.sandbox.close();
});

const allOperations = api.resources.flatMap(operations);

async function idsFor({ effect, params, resource, verb }: Operation): Promise<string[]> {
  const isNew = (index: number) => index === 0 && effect !== 'get' && effect !== 'act';
  const ids = params.map(({ target }, index) =>
    isNew(index) ? newRecordId(client, resource.name) : existingId(client, target),
  );
  if (effect === 'restore') await call('DELETE', `${resource.path}/${ids[0]}`);
  const linkOperation = effect === 'unlink' ? operation(resource, verb.replace('un', '')) : undefined;
  if (linkOperation) await call('POST', pathOf(linkOperation, ids), fullBody(client, linkOperation));
  return ids;
}

async function call(method: string, target: string, body?: object) {
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
  const response = await fetch(served.baseUrl + target, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}

describe('operation over HTTP', () => {
  it.each(
    allOperations.map(
      (testedOperation) =>
        [
          `${testedOperation.method} ${testedOperation.path} (${testedOperation.verb})`,
          testedOperation,
        ] as const,
    ),
  )('%s: succeeds', async (_, testedOperation) => {
    const path = pathOf(testedOperation, await idsFor(testedOperation));
    const body = fullBody(client, testedOperation);
    const target = testedOperation.effect === 'act' ? `${path}?order_id=${body.order_id}` : path;
    const hasBody =
      isWrite(testedOperation) && testedOperation.method !== 'GET' && testedOperation.body.length > 0;
    const { status, json } = await call(testedOperation.method, target, hasBody ? body : undefined);
    expect([status, json?.errors]).toEqual([testedOperation.effect === 'create' ? 201 : 200, undefined]);
    const { response: responseType, resource } = testedOperation;
    const records = responseType === 'records' ? json.data : responseType === 'record' ? [json.data] : [];
    for (const record of records) expect(deviations(resource.fields, record)).toEqual([]);
    expect(unexpectedErrors).toEqual([]);
  });
});
