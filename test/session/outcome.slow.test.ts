import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type Category, Failure } from '../../src/base/errors.ts';
import { formatHint } from '../../src/base/hint.ts';
import type { Call } from '../../src/client/request.ts';
import { TransportError } from '../../src/client/transport.ts';
import { commandOf, withOutcome } from '../../src/session/outcome.ts';
import { operationOf } from '../client/operations.ts';
import { fc } from '../harness/fast-check.ts';

const create: Call = {
  operation: operationOf('suppliers', 'create'),
  body: { name: 'Fresh Farms', code: 'SUP-1' },
};

const broken = (mayHaveArrived: boolean, category: Category = 'unavailable') =>
  new Failure(category, 'It broke.', { cause: new TransportError('It broke.', { mayHaveArrived }) });

function told(error: unknown, call = create): Failure {
  const failure = withOutcome(error, { call, description: commandOf(call) });
  if (failure instanceof Failure) return failure;
  throw new Error('It is no failure.');
}

describe('a write of unknown outcome', () => {
  test.each([
    ['the connection broke after it left', broken(true)],
    ['it was interrupted after it was sent', broken(true, 'interrupted')],
    ...[200, 302, 303, 408, 500, 502, 503, 504].map((status): [string, Failure] => [
      `a ${status} came back that says nothing`,
      new Failure('unavailable', 'It broke.', { status }),
    ]),
  ])('because %s: says so, and names the command that checks it', (_, error) => {
    const failure = told(error);
    expect(failure.category).toBe(error.category);
    expect(failure.message).toBe(
      'It broke. The outcome of `suppliers create` is unknown. It was not retried.',
    );
    expect(formatHint(failure.details.hint ?? '')).toBe('To check: boh suppliers list --code SUP-1');
    expect(failure.details.status).toBe(error.details.status);
    expect(failure.details.outcome).toBe('unknown');
  });

  test.each([
    ['suppliers', 'create', [], { name: 'N' }, 'boh suppliers list --name N'],
    ['suppliers', 'create', [], { code: null }, 'boh suppliers list --updated-after 10m'],
    ['addresses', 'create', [], { name: 'Home' }, 'boh addresses list --updated-after 10m'],
    ['suppliers', 'update', ['42'], { name: 'N' }, 'boh suppliers get 42'],
    ['suppliers', 'delete', ['4 2'], {}, 'boh suppliers get "4 2"'],
    ['suppliers', 'link-item', ['42', '7'], {}, 'boh suppliers get 42 --include items'],
    ['inventory_items', 'unlink-branch', ['42', '7'], {}, 'boh inventory-items get 42 --include branches'],
    ['loyalty_rewards', 'redeem', ['42'], { order_id: '7' }, 'boh loyalty-rewards get 42'],
  ])('%s %s %j: is checked by its own command', (name, verb, ids, body, command) => {
    const call = { operation: operationOf(name, verb), ids, body };
    expect(formatHint(told(broken(true), call).details.hint ?? '')).toBe(`To check: ${command}`);
  });

  test('names a command that is safe to paste, with any name of the record', () => {
    const name = fc.string({ unit: fc.constantFrom(...`'"$\`\\ ;|&()<>!*?~#\nab`), minLength: 1 });
    fc.assert(
      fc.property(name, (text) => {
        const { hint = '' } = told(broken(true), { ...create, body: { name: text } }).details;
        const [, word = ''] = /--name (.*)$/s.exec(formatHint(hint)) ?? [];
        expect(execFileSync('sh', ['-c', `printf %s ${word}`], { encoding: 'utf8' })).toBe(text);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a write that was certainly not carried out', () => {
  test('because it was not sent: says that nothing was sent', () => {
    const failure = told(broken(false));
    expect(failure.message).toBe('It broke. Nothing was sent.');
    expect(failure.details.outcome).toBe('not_sent');
  });

  test.each([
    ...([400, 401, 403, 404, 409, 422, 429] as const).map(
      (status) => new Failure('refused', 'No.', { status }),
    ),
    ...[301, 307, 308].map((status) => new Failure('unavailable', 'Moved.', { status })),
    new Failure('interrupted', 'Interrupted.'),
    new Failure('usage', 'No.'),
  ])('is reported in the same words, with its outcome: %s', (error) => {
    const failure = told(error);
    expect(failure).toMatchObject({ category: error.category, message: error.message });
    expect(failure.details).toEqual({ ...error.details, outcome: 'not_sent' });
  });

  test("is not reported for errors that aren't failures", () => {
    const bug = new TypeError('x is not a function');
    expect(withOutcome(bug, { call: create, description: 'suppliers create' })).toBe(bug);
  });
});
