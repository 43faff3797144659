import { expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { embeddedTransport } from '../../src/client/transport.ts';

const answer = { status: 200, headers: {}, body: '{}' };

test('a request is answered in the same process; without a body the text is empty', async () => {
  const seen: unknown[] = [];
  const transport = embeddedTransport((request) => {
    seen.push(request);
    return answer;
  });
  expect(await transport({ method: 'GET', target: '/x', headers: { accept: 'a' } })).toBe(answer);
  expect(seen).toEqual([{ method: 'GET', target: '/x', headers: { accept: 'a' }, body: '' }]);
});

test('an interruption stops the next request', async () => {
  const interrupted = new Failure('interrupted', 'Interrupted.');
  const transport = embeddedTransport(() => {
    throw new Error('It was asked.');
  });
  await expect(
    transport({ method: 'GET', target: '/x', headers: {} }, AbortSignal.abort(interrupted)),
  ).rejects.toBe(interrupted);
});
