import { expect, test } from 'vitest';
import { embeddedTransport } from '../../src/account/client/transport.ts';
import { Failure } from '../../src/base/errors.ts';

const response = { status: 200, headers: {}, body: '{}' };

test('a request: is handled in the same process; without a body, the handler gets an empty string', async () => {
  const requests: unknown[] = [];
  const transport = embeddedTransport((request) => {
    requests.push(request);
    return response;
  });
  expect(await transport({ method: 'GET', target: '/x', headers: { accept: 'a' } })).toBe(response);
  expect(requests).toEqual([{ method: 'GET', target: '/x', headers: { accept: 'a' }, body: '' }]);
});

test('an aborted signal: the request is not handled', async () => {
  const interrupted = new Failure('interrupted', 'Interrupted.');
  const transport = embeddedTransport(() => {
    throw new Error('The request was handled.');
  });
  await expect(
    transport({ method: 'GET', target: '/x', headers: {} }, AbortSignal.abort(interrupted)),
  ).rejects.toBe(interrupted);
});
