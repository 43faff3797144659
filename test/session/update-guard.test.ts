import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import type { Call } from '../../src/client/request.ts';
import type { HttpRequest } from '../../src/client/transport.ts';
import type { OutgoingWrite, WriteReader } from '../../src/session/observed-writes.ts';
import type { RawResult } from '../../src/session/write.ts';
import { operationOf } from '../client/operations.ts';
import { hinted } from '../harness/hint.ts';
import { type Asked, sessionOver, settings } from './open.ts';

const lists = { items: [], tags: [] };
const supplier = { name: 'Fresh Farms', contact_name: 'Yusuf', email: 'a@example.com', code: 'S', ...lists };
const update = (id: string, body: object = { phone: '7' }): Call => ({
  operation: operationOf('suppliers', 'update'),
  ids: [id],
  body: body as Record<string, unknown>,
});

/** Suppliers that a PUT merges into, or replaces; `answer` may answer in its place. */
function service(put: 'merge' | 'replace', answer: (asked: Asked) => object | undefined = () => undefined) {
  const stored = new Map<string, object>();
  return (asked: Asked): object => {
    const { method, target, body } = asked;
    const id = target.split(/[/?]/)[2] ?? 'new';
    const before = stored.get(id) ?? { id, ...supplier };
    const emptied = { id, name: null, contact_name: null, email: null, code: null, ...lists };
    const given = answer(asked);
    if (given) return given;
    if (method === 'PUT') stored.set(id, { ...(put === 'merge' ? before : emptied), ...(body as object) });
    return { data: stored.get(id) ?? before };
  };
}

const sent = (asked: readonly Asked[]) =>
  asked.map(({ method, target }) => `${method} ${target.split('?')[0]}`);
const several = { hasMoreWrites: true } as const;

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const failure = await work.then(
    () => undefined,
    (error) => error,
  );
  return failure instanceof Failure ? failure : expect.fail(String(failure));
}

/** A supplier that has a name and nothing else, whatever is sent. */
function bareOf(method: string, target: string): object {
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

describe('several updates at once', () => {
  test('the first is sent alone, and the others follow if the service merges', async () => {
    const { session, asked } = sessionOver(service('merge'));
    await Promise.all(['1', '2', '3', '4'].map((id) => session.write(update(id), several)));
    expect(sent(asked)).toEqual([
      'GET /suppliers/1',
      'PUT /suppliers/1',
      ...['2', '3', '4'].map((id) => `PUT /suppliers/${id}`),
    ]);
  });

  test('no other is sent if the service replaces, except a creation', async () => {
    const { session, asked } = sessionOver(service('replace'));
    const works = ['1', '2', '3'].map((id) => failureOf(session.write(update(id), several)));
    const [first, ...others] = await Promise.all(works);
    expect(first?.message).toContain(
      'supplier 1 succeeded, but emptied name, contact_name, email, code, which',
    );
    expect(first?.details).toMatchObject({ outcome: 'done', stopsRun: true });
    for (const other of others) {
      expect(other.details).toMatchObject({ outcome: 'not_sent', stopsRun: true });
      expect(other.message).toContain('the update of supplier 1 emptied');
    }
    expect(sent(asked)).toEqual(['GET /suppliers/1', 'PUT /suppliers/1', 'GET /suppliers/1']);
    await session.write({ operation: operationOf('suppliers', 'create'), body: { name: 'N' } }, several);
  });

  test('of records with only required fields: only the first is read again', async () => {
    const { session, asked } = sessionOver(service('merge', ({ method, target }) => bareOf(method, target)));
    for (const id of ['1', '2', '3', '4']) {
      const known = { id, name: 'N', contact_name: null, email: null, code: null, ...lists };
      await session.write(update(id), { ...several, recordBefore: known });
    }
    expect(sent(asked).filter((line) => line.startsWith('GET'))).toEqual(['GET /suppliers/1']);
  });

  test('a record that has lost a value since: the next ones are checked, and it alone is no alarm', async () => {
    const { session, asked } = sessionOver(service('merge', ({ method, target }) => bareOf(method, target)));
    const bare = { name: 'N', contact_name: null, email: null, code: null, ...lists };
    const write = (id: string, more: object = {}) =>
      session.write(update(id), { ...several, recordBefore: { id, ...bare, ...more } });
    await write('1');
    await write('2');
    const readBefore = () => sent(asked).filter((line) => line.startsWith('GET')).length;
    expect(readBefore()).toBe(1);
    // Its e-mail address was there when the run was planned, and is gone before its turn.
    await write('3', { email: 'a@example.com' });
    expect(sent(asked)).toContain('GET /suppliers/3');
    await write('4');
  });

  test('updates of another resource are checked separately', async () => {
    const { session, asked } = sessionOver(service('merge'));
    await session.write(update('1'), several);
    await session.write(
      { operation: operationOf('customers', 'update'), ids: ['9'], body: { phone: '7' } },
      several,
    );
    expect(sent(asked).slice(2)).toEqual(['GET /customers/9', 'PUT /customers/9']);
  });

  test("a record with nothing to lose doesn't delay the others, which are checked instead", async () => {
    const bare = { data: { id: '1', name: null, contact_name: null, email: null, code: null, ...lists } };
    const { session, asked } = sessionOver(
      service('replace', ({ target }) => (target.startsWith('/suppliers/1') ? bare : undefined)),
    );
    await session.write(update('1'), several);
    await failureOf(session.write(update('2'), several));
    expect(sent(asked)).toEqual([
      'GET /suppliers/1',
      'PUT /suppliers/1',
      'GET /suppliers/2',
      'PUT /suppliers/2',
      'GET /suppliers/2',
    ]);
  });

  test('an answer that shows less than the record reports no loss', async () => {
    const { session, asked } = sessionOver(
      service('merge', ({ method, target }) =>
        method === 'PUT' ? { data: { id: target.split('/')[2], phone: '7', email: null } } : undefined,
      ),
    );
    await session.write(update('1'), several);
    await session.write(update('2'), several);
    expect(sent(asked)).toEqual([
      'GET /suppliers/1',
      'PUT /suppliers/1',
      'GET /suppliers/1',
      'PUT /suppliers/2',
    ]);
  });

  test('a field that a rule empties because of another reports no loss', async () => {
    const { session } = sessionOver(
      service('merge', ({ method }) =>
        method === 'PUT' ? { data: { id: '1', ...supplier, email: null } } : undefined,
      ),
    );
    await session.write(update('1', { contact_name: '' }), several);
  });
});

describe('a raw request', () => {
  const put = { method: 'PUT', target: '/suppliers/1', body: '{"phone":"7"}' };
  /** As the history reads a record before it is written. */
  const reading = {
    beforeBatch: async ([write]: readonly OutgoingWrite[], reader: WriteReader) => {
      const get = operationOf('suppliers', 'get');
      await reader.get({ operation: get, ids: write?.call?.ids ?? [] });
    },
  };

  test('reports what it emptied if its record was read before', async () => {
    const { session, asked } = sessionOver(service('replace'), { observers: [reading] });
    const { response: answer, loss } = (await session.raw(put)) as Exclude<
      RawResult,
      { planned: HttpRequest }
    >;
    expect(JSON.parse(answer.body).data).toMatchObject({ phone: '7', name: null });
    expect(loss?.message).toContain(
      'supplier 1 succeeded, but emptied name, contact_name, email, code, which',
    );
    expect(loss?.hint).toEqual(hinted(/^To restore these fields: boh suppliers update 1 --data /));
    expect(sent(asked)).toEqual(['GET /suppliers/1', 'PUT /suppliers/1', 'GET /suppliers/1']);
    // It is sent as it is written again, and nothing else is by now.
    expect(await session.raw(put)).toHaveProperty('response');
    expect((await failureOf(session.write(update('1')))).details).toMatchObject({ outcome: 'not_sent' });
  });

  test.each([
    ['the service merges', 'merge', 'merge', [reading]],
    ['nothing was read before', 'replace', 'merge', []],
    ['it is said that the service replaces', 'replace', 'replace', [reading]],
  ] as const)('reports nothing, and reads nothing again, if %s', async (_, kind, wire, observers) => {
    const said = { ...settings, wire: { ...settings.wire, put: wire } };
    const { session, asked } = sessionOver(service(kind), { observers, settings: said });
    expect(await session.raw(put)).toMatchObject({ loss: undefined });
    expect(sent(asked).at(-1)).toBe('PUT /suppliers/1');
    expect(asked.at(-1)?.body).toEqual({ phone: '7' });
  });
});

describe("the record can't be read", () => {
  const unread = (status: number) =>
    sessionOver(
      service('merge', ({ method }) =>
        method === 'GET' ? { status, body: '{"message":"No."}' } : undefined,
      ),
    );

  test("because of the token's scopes: the update is sent", async () => {
    const { session, asked } = unread(403);
    await session.write(update('1'), several);
    expect(sent(asked).at(-1)).toBe('PUT /suppliers/1');
  });

  test('because the service is down: the update is not sent', async () => {
    const { session, asked } = unread(404);
    await session.write(update('1'), several);
    expect(sent(asked)).toEqual(['GET /suppliers/1', 'PUT /suppliers/1']);
    const away = unread(401);
    const failure = await failureOf(away.session.write(update('1'), several));
    expect(failure).toMatchObject({ category: 'not_signed_in', details: { outcome: 'not_sent' } });
    expect(sent(away.asked)).toEqual(['GET /suppliers/1']);
  });
});

test("a refusal for a field that wasn't sent names the setting", async () => {
  const { session } = sessionOver(
    service('merge', ({ method }) =>
      method === 'PUT'
        ? { status: 422, body: '{"errors":{"name":["The name field is required."]}}' }
        : undefined,
    ),
  );
  const failure = await failureOf(session.write(update('1')));
  expect(failure.details.hint).toEqual(hinted(/name was not sent\. .*boh config set wire\.put replace/));
  const own = await failureOf(session.write(update('1', { name: 'N' })));
  expect(own.details.hint ?? '').not.toEqual(hinted('wire.put'));
});

describe('with wire.put = replace', () => {
  const whole = { settings: { ...settings, wire: { ...settings.wire, put: 'replace' as const } } };

  test('the whole record is sent with the change, and observers see only the change', async () => {
    const heard: unknown[] = [];
    const observers = [{ afterSend: ({ call }: { call?: Call | undefined }) => void heard.push(call?.body) }];
    const { session, asked } = sessionOver(service('replace'), { ...whole, observers });
    await session.write(update('1'), several);
    expect(sent(asked)).toEqual(['GET /suppliers/1', 'PUT /suppliers/1']);
    expect(asked.at(-1)?.body).toMatchObject({ name: 'Fresh Farms', email: 'a@example.com', phone: '7' });
    expect(heard).toEqual([{ phone: '7' }]);
  });

  test("nothing is sent if the service doesn't show the whole record", async () => {
    const { session, asked } = sessionOver(
      service('replace', () => ({ data: { id: '1', name: 'Fresh Farms' } })),
      whole,
    );
    const failure = await failureOf(session.write(update('1')));
    expect(failure).toMatchObject({
      category: 'usage',
      message: expect.stringContaining('would empty contact_name, email, code, items, tags'),
      details: { outcome: 'not_sent' },
    });
    expect(sent(asked)).toEqual(['GET /suppliers/1']);
  });
});
