import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/account/client/request.ts';
import type { HttpRequest } from '../../src/account/client/transport.ts';
import type { OutgoingWrite, WriteReader } from '../../src/account/session/observed-writes.ts';
import type { RawResult } from '../../src/account/session/session.ts';
import { Failure } from '../../src/base/errors.ts';
import { operationOf } from '../client/operations.ts';
import { hintContaining } from '../harness/hint.ts';
import { openTestSession, type RecordedRequest, settings } from './test-session.ts';

const lists = { items: [], tags: [] };
const supplier = { name: 'Fresh Farms', contact_name: 'Yusuf', email: 'a@example.com', code: 'S', ...lists };
const update = (id: string, body: object = { phone: '7' }): Call => ({
  operation: operationOf('suppliers', 'update'),
  ids: [id],
  body: body as Record<string, unknown>,
});

/** Returns a service whose updates merge into a supplier or replace it. A response of `override` has precedence. */
function createService(
  put: 'merge' | 'replace',
  override: (request: RecordedRequest) => object | undefined = () => undefined,
) {
  const stored = new Map<string, object>();
  return (request: RecordedRequest): object => {
    const { method, target, body } = request;
    const id = target.split(/[/?]/)[2] ?? 'new';
    const before = stored.get(id) ?? { id, ...supplier };
    const emptied = { id, name: null, contact_name: null, email: null, code: null, ...lists };
    const response = override(request);
    if (response) return response;
    if (method === 'PUT') stored.set(id, { ...(put === 'merge' ? before : emptied), ...(body as object) });
    return { data: stored.get(id) ?? { ...before, ...(body as object) } };
  };
}

const linesOf = (requests: readonly RecordedRequest[]) =>
  requests.map(({ method, target }) => `${method} ${target.split('?')[0]}`);
const inBulkRun = { hasMoreWrites: true } as const;

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const failure = await work.then(
    () => undefined,
    (error) => error,
  );
  return failure instanceof Failure ? failure : expect.fail(String(failure));
}

/** Returns the response with a supplier that has only a name. */
function respondWithNameOnly(method: string, target: string): object {
  const id = target.split(/[/?]/)[2] ?? '';
  return {
    data: {
      id,
      name: 'N',
      contact_name: null,
      email: null,
      code: null,
      phone: method === 'PUT' ? '7' : null,
      ...lists,
    },
  };
}

describe('updates of a bulk run', () => {
  test('a service that merges: the other updates are sent after the first', async () => {
    const { session, requests } = openTestSession(createService('merge'));
    await Promise.all(['1', '2', '3', '4'].map((id) => session.write(update(id), inBulkRun)));
    expect(linesOf(requests)).toEqual([
      'GET /suppliers/1',
      'PUT /suppliers/1',
      ...['2', '3', '4'].map((id) => `PUT /suppliers/${id}`),
    ]);
  });

  test('a service that replaces: no further update is sent, but a creation is', async () => {
    const { session, requests } = openTestSession(createService('replace'));
    const writes = ['1', '2', '3'].map((id) => failureOf(session.write(update(id), inBulkRun)));
    const [firstFailure, ...laterFailures] = await Promise.all(writes);
    expect(firstFailure?.message).toContain(
      'supplier 1 succeeded, but emptied name, contact_name, email, code, which',
    );
    expect(firstFailure?.details).toMatchObject({ outcome: 'done', stopsRun: true });
    for (const failure of laterFailures) {
      expect(failure.details).toMatchObject({ outcome: 'not_sent', stopsRun: true });
      expect(failure.message).toContain('the update of supplier 1 emptied');
    }
    expect(linesOf(requests)).toEqual(['GET /suppliers/1', 'PUT /suppliers/1', 'GET /suppliers/1']);
    await session.write({ operation: operationOf('suppliers', 'create'), body: { name: 'N' } }, inBulkRun);
  });

  test('records with only required fields: only the first is read before its update', async () => {
    const { session, requests } = openTestSession(
      createService('merge', ({ method, target }) => respondWithNameOnly(method, target)),
    );
    for (const id of ['1', '2', '3', '4']) {
      const recordBefore = { id, name: 'N', contact_name: null, email: null, code: null, ...lists };
      await session.write(update(id), { ...inBulkRun, recordBefore });
    }
    expect(linesOf(requests).filter((line) => line.startsWith('GET'))).toEqual(['GET /suppliers/1']);
  });

  test('a record that lost a value after the plan: its update succeeds, and the next update is checked', async () => {
    const { session, requests } = openTestSession(
      createService('merge', ({ method, target }) => respondWithNameOnly(method, target)),
    );
    const nameOnly = { name: 'N', contact_name: null, email: null, code: null, ...lists };
    const write = (id: string, plannedValues: object = {}) =>
      session.write(update(id), { ...inBulkRun, recordBefore: { id, ...nameOnly, ...plannedValues } });
    await write('1');
    await write('2');
    const readCount = () => linesOf(requests).filter((line) => line.startsWith('GET')).length;
    expect(readCount()).toBe(1);
    // The record had an email address when the run was planned, but no longer has it.
    await write('3', { email: 'a@example.com' });
    expect(linesOf(requests)).toContain('GET /suppliers/3');
    await write('4');
  });

  test('another resource: its first update is checked too', async () => {
    const { session, requests } = openTestSession(createService('merge'));
    await session.write(update('1'), inBulkRun);
    await session.write(
      { operation: operationOf('customers', 'update'), ids: ['9'], body: { phone: '7' } },
      inBulkRun,
    );
    expect(linesOf(requests).slice(2)).toEqual(['GET /customers/9', 'PUT /customers/9']);
  });

  test('a record without values: the next update is checked instead', async () => {
    const emptyRecord = {
      data: { id: '1', name: null, contact_name: null, email: null, code: null, ...lists },
    };
    const { session, requests } = openTestSession(
      createService('replace', ({ target }) => (target.startsWith('/suppliers/1') ? emptyRecord : undefined)),
    );
    await session.write(update('1'), inBulkRun);
    await failureOf(session.write(update('2'), inBulkRun));
    expect(linesOf(requests)).toEqual([
      'GET /suppliers/1',
      'PUT /suppliers/1',
      'GET /suppliers/2',
      'PUT /suppliers/2',
      'GET /suppliers/2',
    ]);
  });

  test('a response with fewer fields than the record: reports no loss', async () => {
    const { session, requests } = openTestSession(
      createService('merge', ({ method, target }) =>
        method === 'PUT' ? { data: { id: target.split('/')[2], phone: '7', email: null } } : undefined,
      ),
    );
    await session.write(update('1'), inBulkRun);
    await session.write(update('2'), inBulkRun);
    expect(linesOf(requests)).toEqual([
      'GET /suppliers/1',
      'PUT /suppliers/1',
      'GET /suppliers/1',
      'PUT /suppliers/2',
    ]);
  });

  test('a single field that a rule of the service empties: reports no loss', async () => {
    const { session } = openTestSession(
      createService('merge', ({ method }) =>
        method === 'PUT' ? { data: { id: '1', ...supplier, contact_name: '', email: null } } : undefined,
      ),
    );
    await session.write(update('1', { contact_name: '' }), inBulkRun);
  });
});

describe('a raw update', () => {
  const put = { method: 'PUT', target: '/suppliers/1', body: '{"phone":"7"}' };
  /** Reads the record before each write, like the history. */
  const readingObserver = {
    beforeWrite: async (write: OutgoingWrite, reader: WriteReader) => {
      const get = operationOf('suppliers', 'get');
      await reader.get({ operation: get, ids: write?.call?.ids ?? [] });
    },
  };

  test('reports the emptied fields if the record was read before', async () => {
    const { session, requests } = openTestSession(createService('replace'), { observers: [readingObserver] });
    const { response: answer, loss } = (await session.raw(put)) as Exclude<
      RawResult,
      { planned: HttpRequest }
    >;
    expect(JSON.parse(answer.body).data).toMatchObject({ phone: '7', name: null });
    expect(loss?.message).toContain(
      'supplier 1 succeeded, but emptied name, contact_name, email, code, which',
    );
    expect(loss?.hint).toEqual(hintContaining(/^To restore these fields: boh suppliers update 1 --data /));
    expect(linesOf(requests)).toEqual(['GET /suppliers/1', 'PUT /suppliers/1', 'GET /suppliers/1']);
    // Another raw update is sent; other updates no longer are.
    expect(await session.raw(put)).toHaveProperty('response');
    expect((await failureOf(session.write(update('1')))).details).toMatchObject({ outcome: 'not_sent' });
  });

  test.each([
    ['the service merges', 'merge', 'merge', [readingObserver]],
    ['the record was not read before', 'replace', 'merge', []],
    ['the setting wire.put is replace', 'replace', 'replace', [readingObserver]],
  ] as const)('reports no loss and reads no record after it if %s', async (_, kind, wire, observers) => {
    const wireSettings = { ...settings, wire: { ...settings.wire, put: wire } };
    const { session, requests } = openTestSession(createService(kind), { observers, settings: wireSettings });
    expect(await session.raw(put)).toMatchObject({ loss: undefined });
    expect(linesOf(requests).at(-1)).toBe('PUT /suppliers/1');
    expect(requests.at(-1)?.body).toEqual({ phone: '7' });
  });
});

describe('an update whose record cannot be read', () => {
  const openUnreadable = (status: number) =>
    openTestSession(
      createService('merge', ({ method }) =>
        method === 'GET' ? { status, body: '{"message":"No."}' } : undefined,
      ),
    );

  test('status 403: is sent', async () => {
    const { session, requests } = openUnreadable(403);
    await session.write(update('1'), inBulkRun);
    expect(linesOf(requests).at(-1)).toBe('PUT /suppliers/1');
  });

  test('status 404: is sent; status 401: is not sent', async () => {
    const { session, requests } = openUnreadable(404);
    await session.write(update('1'), inBulkRun);
    expect(linesOf(requests)).toEqual(['GET /suppliers/1', 'PUT /suppliers/1']);
    const rejectedToken = openUnreadable(401);
    const failure = await failureOf(rejectedToken.session.write(update('1'), inBulkRun));
    expect(failure).toMatchObject({ category: 'not_signed_in', details: { outcome: 'not_sent' } });
    expect(linesOf(rejectedToken.requests)).toEqual(['GET /suppliers/1']);
  });
});

test("a refusal because of a field that wasn't sent: the hint names the setting wire.put", async () => {
  const { session } = openTestSession(
    createService('merge', ({ method }) =>
      method === 'PUT'
        ? { status: 422, body: '{"errors":{"name":["The name field is required."]}}' }
        : undefined,
    ),
  );
  const failure = await failureOf(session.write(update('1')));
  expect(failure.details.hint).toEqual(
    hintContaining(/name was not sent\. .*boh config set wire\.put replace/),
  );
  const failureWithField = await failureOf(session.write(update('1', { name: 'N' })));
  expect(failureWithField.details.hint ?? '').not.toEqual(hintContaining('wire.put'));
});

describe('updates with the setting wire.put = replace', () => {
  const replaceSettings = { settings: { ...settings, wire: { ...settings.wire, put: 'replace' as const } } };

  test('send the whole record; observers receive only the changed fields', async () => {
    const bodies: unknown[] = [];
    const observers = [
      { afterSend: ({ call }: { call?: Call | undefined }) => void bodies.push(call?.body) },
    ];
    const { session, requests } = openTestSession(createService('replace'), {
      ...replaceSettings,
      observers,
    });
    await session.write(update('1'), inBulkRun);
    expect(linesOf(requests)).toEqual(['GET /suppliers/1', 'PUT /suppliers/1']);
    expect(requests.at(-1)?.body).toMatchObject({ name: 'Fresh Farms', email: 'a@example.com', phone: '7' });
    expect(bodies).toEqual([{ phone: '7' }]);
  });

  test("are not sent if the service doesn't return the whole record", async () => {
    const { session, requests } = openTestSession(
      createService('replace', () => ({ data: { id: '1', name: 'Fresh Farms' } })),
      replaceSettings,
    );
    const failure = await failureOf(session.write(update('1')));
    expect(failure).toMatchObject({
      category: 'usage',
      message: expect.stringContaining('would empty contact_name, email, code, items, tags'),
      details: { outcome: 'not_sent' },
    });
    expect(linesOf(requests)).toEqual(['GET /suppliers/1']);
  });
});
