import { describe, expect, test } from 'vitest';
import type { RequestInfo } from '../../src/account/client/refusal.ts';
import { jsonOf, pageOf, recordOf, throwUnlessSucceeded } from '../../src/account/client/response.ts';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';
import { operationOf } from './operations.ts';

const request: RequestInfo = {
  method: 'GET',
  path: '/suppliers/42',
  subject: 'supplier 42',
  operation: operationOf('suppliers', 'get'),
};
const response = (body: string, status = 200) => ({ status, headers: {}, body });

function failureOf(act: () => unknown): Failure {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('No failure was thrown.');
}

describe('a successful response with an invalid body', () => {
  test.each([
    ['', 'an empty body instead of JSON'],
    [' \n', 'an empty body instead of JSON'],
    ['<!DOCTYPE html><p>', 'a web page instead of JSON'],
    ['\uFEFF <html lang="en">', 'a web page instead of JSON'],
    ['OK', 'text instead of JSON'],
    ['{"data":{"id":"4', 'a damaged or incomplete body instead of JSON'],
    ['{"data":[]}', 'JSON that contains no record'],
    ['{"data":null}', 'JSON that contains no record'],
    ['null', 'JSON that contains no record'],
    ['[[', 'a damaged or incomplete body instead of JSON'],
    [`{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'JSON that is nested too deeply'],
  ])('%.30s: fails with exit code 8 and one sentence', (body, what) => {
    const failure = failureOf(() => recordOf(response(body), request));
    expect(failure).toMatchObject({
      category: 'unavailable',
      exitCode: 8,
      message: `The service returned ${what} (status 200).`,
      details: { status: 200, request: { method: 'GET', path: '/suppliers/42' } },
    });
  });

  test('without a list of records: fails', () => {
    expect(failureOf(() => pageOf(response('{"data":{}}'), request)).message).toContain(
      'JSON that contains no list of records',
    );
  });
});

test('a record: keeps all fields, including unknown ones', () => {
  expect(recordOf(response('{"data":{"id":"42","shoe_size":{"eu":43}},"more":1}', 201), request)).toEqual({
    id: '42',
    shoe_size: { eu: 43 },
  });
});

test('a page: contains only the metadata that the response has', () => {
  const body =
    '{"data":[{"id":"1"}],"links":{"next":null},"meta":{"last_page":3,"per_page":"50","total":120}}';
  expect(pageOf(response(body), request, 2)).toEqual({
    number: 2,
    rows: [{ id: '1' }],
    body,
    lastPage: 3,
    perPage: 50,
    total: 120,
    hasNext: false,
  });
  expect(
    pageOf(response('{"data":[],"links":[],"meta":{"last_page":null,"total":"many"}}'), request),
  ).toEqual({
    number: 1,
    rows: [],
    body: expect.any(String),
    lastPage: undefined,
    perPage: undefined,
    total: undefined,
    hasNext: undefined,
  });
});

describe('a response without a documented body', () => {
  test.each(['', '{}', 'OK', '{"data":', 'null'])('with the body "%s": the body is ignored', (body) => {
    expect(throwUnlessSucceeded(response(body), request)).toBeUndefined();
  });

  test('with a web page: fails', () => {
    const failure = failureOf(() =>
      throwUnlessSucceeded(response("<html>Log in to the airport's network</html>"), request),
    );
    expect(failure).toMatchObject({
      category: 'unavailable',
      message: 'The service returned a web page (status 200).',
    });
  });
});

test('any body: is parsed or fails as unavailable', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
      for (const read of [jsonOf, recordOf, pageOf]) {
        try {
          read(response(body), request);
        } catch (error) {
          expect(error).toMatchObject({ category: 'unavailable' });
        }
      }
    }),
  );
});
