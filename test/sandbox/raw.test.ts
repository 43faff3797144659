/**
 * How a served sandbox handles bytes that no client library would send: in order, and always with its own error
 * responses.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { waitForTurns } from '../harness/wait-until.ts';
import { type ServedClient, serve } from './served.ts';

/** Sends bytes and returns the responses: everything until the other side closes. */
async function answersTo(
  served: ServedClient,
  ...requests: string[]
): Promise<{ status: number; body: string }[]> {
  const socket = connect(Number(new URL(served.baseUrl).port), '127.0.0.1');
  socket.write(requests.join(''));
  const all = await text(socket);
  return all
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== '')
    .map((answer) => {
      const [head = '', ...body] = answer.split('\r\n\r\n');
      return { status: Number(head.split(' ')[1]), body: body.join('\r\n\r\n') };
    });
}

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

/** Returns one request with the given headers. */
function request(line: string, headers: readonly string[], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`${line} HTTP/1.1`, ...headers, ...length, '', body].join('\r\n');
}

const own = ({ client }: ServedClient) => ['Host: localhost', `Authorization: Bearer ${client.token}`];
const last = 'Connection: close';
const json = 'Content-Type: application/json';

describe('requests sent without waiting for responses', () => {
  it('are answered in order: a read after a write sees the result', async () => {
    const served = await serve();
    const made = (name: string) =>
      request('POST /suppliers', [...own(served), json], JSON.stringify({ name }));
    const found = request('GET /suppliers?filter[name]=Behind', own(served));
    const end = request('GET /whoami', [...own(served), last]);
    const answers = await answersTo(
      served,
      found,
      made('Behind 1'),
      found,
      made('Behind 2'),
      found,
      found,
      end,
    );
    expect(statuses(answers)).toEqual([200, 201, 200, 201, 200, 200, 200]);
    const counts = [0, 2, 4, 5].map((index) => JSON.parse(answers[index]?.body ?? '').data.length);
    expect(counts).toEqual([0, 1, 2, 2]);
  });

  it('are answered before an invalid request after them', async () => {
    const served = await serve();
    const read = request('GET /tags', own(served));
    const made = request('POST /suppliers', [...own(served), json], '{"name":"Before"}');
    for (const before of [[read], [read, read], [made, read], [read, made]]) {
      const answers = await answersTo(served, ...before, 'HELLO\r\n\r\n');
      expect(statuses(answers)).toEqual([...before.map((one) => (one === made ? 201 : 200)), 400]);
    }
    const broken = request('POST /suppliers', [...own(served), 'Transfer-Encoding: chunked'], '');
    expect(statuses(await answersTo(served, made, broken, 'zz\r\n'))).toEqual([201, 400]);
    expect(served.bugs).toEqual([]);
  });

  it('are all answered if no more follow', async () => {
    const served = await serve();
    const read = request('GET /tags', own(served));
    const made = request('POST /suppliers', [...own(served), json], '{"name":"Said"}');
    // The write waits for another process, so the client closes its side before the response.
    const holder = new DatabaseSync(served.client.sandbox.database.file);
    holder.exec('BEGIN IMMEDIATE');
    const socket = connect(Number(new URL(served.baseUrl).port), '127.0.0.1');
    socket.end(read + made);
    const answers = text(socket);
    await waitForTurns();
    holder.close();
    expect((await answers).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 201']);
  });

  it('are dropped if the client disconnects', async () => {
    const served = await serve();
    const socket = connect(Number(new URL(served.baseUrl).port), '127.0.0.1');
    const made = request('POST /suppliers', [...own(served), json], '{"name":"Gone"}');
    socket.write(made.repeat(20));
    await once(socket, 'connect');
    socket.destroy();
    await once(socket, 'close');
    expect((await served.ask('/whoami')).status).toBe(200);
    expect(served.bugs).toEqual([]);
  });
});

describe('a single request', () => {
  const cases: [about: string, line: string, headers: (served: ServedClient) => string[], status: number][] =
    [
      ['without a host', 'GET /tags', ({ client }) => [`Authorization: Bearer ${client.token}`], 400],
      ['with two hosts', 'GET /tags', (served) => [...own(served), 'Host: evil.example'], 421],
      ['with two tokens', 'GET /tags', (served) => [...own(served), 'Authorization: Bearer x'], 401],
      ['that expects more than there is', 'GET /tags', (served) => [...own(served), 'Expect: wonders'], 417],
      ['for a tunnel', 'CONNECT localhost:1', own, 405],
      ['with a whole address', 'GET http://127.0.0.1/tags', own, 200],
      ['with a whole address that has no path', 'GET http://127.0.0.1', own, 200],
      ['with the full URL of another host', 'GET http://evil.example/tags', own, 421],
      ['with a host that is no address', 'GET http://[::1/tags', own, 421],
    ];

  it.each(cases)('%s (%s) is answered in JSON', async (_, line, headers, status) => {
    const served = await serve();
    const [answer, ...more] = await answersTo(served, request(line, [...headers(served), last]));
    expect([answer?.status, more, served.bugs]).toEqual([status, [], []]);
    if (status !== 200) expect(JSON.parse(answer?.body ?? '')).toHaveProperty('message');
  });

  it.each([
    ['text/plain;charset=UTF-8', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonp', 415],
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['Application/JSON', 201],
    [undefined, 201],
  ])('with content type %s is answered with %d', async (type, status) => {
    const served = await serve();
    const said = type === undefined ? [] : [`Content-Type: ${type}`];
    const sent = request('POST /suppliers', [...own(served), ...said, last], '{"name":"Said"}');
    const [answer] = await answersTo(served, sent);
    expect(answer?.status).toBe(status);
    if (status === 415) expect(JSON.parse(answer?.body ?? '').message).toContain('application/json');
  });
});
