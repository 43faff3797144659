import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import { TransportError } from '../../src/account/client/transport.ts';
import { commandOf, withOutcome } from '../../src/account/session/outcome.ts';
import { type Category, Failure } from '../../src/base/errors.ts';
import { formatHint } from '../../src/base/hint.ts';
import { operationOf } from '../client/operations.ts';
import { fc } from '../harness/fast-check.ts';

const create: Call = {
  operation: operationOf('suppliers', 'create'),
  body: { name: 'Fresh Farms', code: 'SUP-1' },
};

const brokenConnection = (mayHaveArrived: boolean, category: Category = 'unavailable') =>
  new Failure(category, 'Connection reset.', {
    cause: new TransportError('Connection reset.', { mayHaveArrived }),
  });

function addOutcome(error: unknown, call = create): Failure {
  const failure = withOutcome(error, { call, description: commandOf(call) });
  if (failure instanceof Failure) return failure;
  throw new Error('not a failure');
}

describe('a write with an unknown outcome', () => {
  test.each([
    ['the connection broke after the request was sent', brokenConnection(true)],
    ['it was interrupted after the request was sent', brokenConnection(true, 'interrupted')],
    ...[200, 302, 303, 408, 500, 502, 503, 504].map((status): [string, Failure] => [
      `a response with status ${status} and no record`,
      new Failure('unavailable', 'Connection reset.', { status }),
    ]),
  ])(
    '%s: the message says that the outcome is unknown, and the hint has a command that checks it',
    (_, error) => {
      const failure = addOutcome(error);
      expect(failure.category).toBe(error.category);
      expect(failure.message).toBe(
        'Connection reset. The outcome of `suppliers create` is unknown. It was not retried.',
      );
      expect(formatHint(failure.details.hint ?? '')).toBe('To check: boh suppliers list --code SUP-1');
      expect(failure.details.status).toBe(error.details.status);
      expect(failure.details.outcome).toBe('unknown');
    },
  );

  test.each([
    ['suppliers', 'create', [], { name: 'N' }, 'boh suppliers list --name N'],
    ['suppliers', 'create', [], { code: null }, 'boh suppliers list --updated-after 10m'],
    ['addresses', 'create', [], { name: 'Home' }, 'boh addresses list --updated-after 10m'],
    ['suppliers', 'update', ['42'], { name: 'N' }, 'boh suppliers get 42'],
    ['suppliers', 'delete', ['4 2'], {}, 'boh suppliers get "4 2"'],
    ['suppliers', 'link-item', ['42', '7'], {}, 'boh suppliers get 42 --include items'],
    ['inventory_items', 'unlink-branch', ['42', '7'], {}, 'boh inventory-items get 42 --include branches'],
    ['loyalty_rewards', 'redeem', ['42'], { order_id: '7' }, 'boh loyalty-rewards get 42'],
  ])(
    '%s %s %j: the hint has the command that reads the record or the list',
    (name, verb, ids, body, command) => {
      const call = { operation: operationOf(name, verb), ids, body };
      expect(formatHint(addOutcome(brokenConnection(true), call).details.hint ?? '')).toBe(
        `To check: ${command}`,
      );
    },
  );

  test('any name of a record: is one argument of the suggested command in a shell', () => {
    const name = fc.string({ unit: fc.constantFrom(...`'"$\`\\ ;|&()<>!*?~#\nab`), minLength: 1 });
    fc.assert(
      fc.property(name, (text) => {
        const { hint = '' } = addOutcome(brokenConnection(true), { ...create, body: { name: text } }).details;
        const [, word = ''] = /--name (.*)$/s.exec(formatHint(hint)) ?? [];
        expect(execFileSync('sh', ['-c', `printf %s ${word}`], { encoding: 'utf8' })).toBe(text);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a write that was not applied', () => {
  test('a failed connection: the message says that nothing was sent', () => {
    const failure = addOutcome(brokenConnection(false));
    expect(failure.message).toBe('Connection reset. Nothing was sent.');
    expect(failure.details.outcome).toBe('not_sent');
  });

  test.each([
    ...([400, 401, 403, 404, 409, 422, 429] as const).map(
      (status) => new Failure('refused', 'No.', { status }),
    ),
    ...[301, 307, 308].map((status) => new Failure('unavailable', 'Moved.', { status })),
    new Failure('interrupted', 'Interrupted.'),
    new Failure('usage', 'No.'),
  ])('%s: keeps its message and has the outcome not_sent', (error) => {
    const failure = addOutcome(error);
    expect(failure).toMatchObject({ category: error.category, message: error.message });
    expect(failure.details).toEqual({ ...error.details, outcome: 'not_sent' });
  });

  test("an error that isn't a failure: is returned unchanged", () => {
    const unexpectedError = new TypeError('x is not a function');
    expect(withOutcome(unexpectedError, { call: create, description: 'suppliers create' })).toBe(
      unexpectedError,
    );
  });
});
