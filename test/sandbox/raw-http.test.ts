/** Tests how a served sandbox handles bytes that client libraries don't send. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { waitForTurns } from '../harness/wait-until.ts';
import { type ServedClient, serve } from './served.ts';

/** Sends requests as bytes and returns the responses that are received until the server closes the connection. */
async function sendRequests(
  served: ServedClient,
  ...requests: string[]
): Promise<{ status: number; body: string }[]> {
  const socket = connect(Number(new URL(served.baseUrl).port), '127.0.0.1');
  socket.write(requests.join(''));
  const received = await text(socket);
  return received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((response) => response !== '')
    .map((response) => {
      const [head = '', ...body] = response.split('\r\n\r\n');
      return { status: Number(head.split(' ')[1]), body: body.join('\r\n\r\n') };
    });
}

/** Returns the bytes of a request. */
function request(line: string, headers: readonly string[], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [`${line} HTTP/1.1`, ...headers, ...length, '', body].join('\r\n');
}

const authorizedHeaders = ({ client }: ServedClient) => [
  'Host: localhost',
  `Authorization: Bearer ${client.token}`,
];
const closeHeader = 'Connection: close';
const jsonHeader = 'Content-Type: application/json';

describe('a server that stops', () => {
  it('finishes requests that it has begun to receive', async () => {
    const served = await serve();
    const body = '{"name": "Last"}';
    const bytes = request('POST /suppliers', [...authorizedHeaders(served), jsonHeader, closeHeader], body);
    const socket = connect(Number(new URL(served.baseUrl).port), '127.0.0.1');
    socket.write(bytes.slice(0, -8));
    // The server has begun to receive the first request when it responds to another one.
    await served.request('/tags');
    const closed = served.close();
    socket.write(bytes.slice(-8));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 /);
    await closed;
    expect(served.client.get('/suppliers?filter[name]=Last').json.data).toHaveLength(1);
  });
});

describe('requests sent without waiting for responses', () => {
  it('get their responses if the client closes its side after sending', async () => {
    const served = await serve();
    const readRequest = request('GET /tags', authorizedHeaders(served));
    const createSupplier = request(
      'POST /suppliers',
      [...authorizedHeaders(served), jsonHeader],
      '{"name":"Fresh Farms"}',
    );
    // The write waits for another process, so the client closes its side before the response.
    const otherConnection = new DatabaseSync(served.client.sandbox.database.file);
    otherConnection.exec('BEGIN IMMEDIATE');
    const socket = connect(Number(new URL(served.baseUrl).port), '127.0.0.1');
    socket.end(readRequest + createSupplier);
    const responses = text(socket);
    await waitForTurns();
    otherConnection.close();
    expect((await responses).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 201']);
  });

  it('are dropped without errors if the client disconnects', async () => {
    const served = await serve();
    const socket = connect(Number(new URL(served.baseUrl).port), '127.0.0.1');
    const createSupplier = request(
      'POST /suppliers',
      [...authorizedHeaders(served), jsonHeader],
      '{"name":"Fresh Farms"}',
    );
    socket.write(createSupplier.repeat(20));
    await once(socket, 'connect');
    socket.destroy();
    await once(socket, 'close');
    expect((await served.request('/whoami')).status).toBe(200);
    expect(served.unexpectedErrors).toEqual([]);
  });
});

describe('a single request', () => {
  const cases: [
    description: string,
    line: string,
    headers: (served: ServedClient) => string[],
    status: number,
  ][] = [
    ['without a host', 'GET /tags', ({ client }) => [`Authorization: Bearer ${client.token}`], 400],
    ['with two hosts', 'GET /tags', (served) => [...authorizedHeaders(served), 'Host: evil.example'], 421],
    [
      'with two tokens',
      'GET /tags',
      (served) => [...authorizedHeaders(served), 'Authorization: Bearer x'],
      401,
    ],
    [
      'with an unsupported Expect header',
      'GET /tags',
      (served) => [...authorizedHeaders(served), 'Expect: 102-processing'],
      417,
    ],
    ['for a tunnel', 'CONNECT localhost:1', authorizedHeaders, 405],
    ['with an absolute URL', 'GET http://127.0.0.1/tags', authorizedHeaders, 200],
    ['with an absolute URL without a path', 'GET http://127.0.0.1', authorizedHeaders, 200],
    ['with the full URL of another host', 'GET http://evil.example/tags', authorizedHeaders, 421],
    ['with an invalid host in the URL', 'GET http://[::1/tags', authorizedHeaders, 421],
  ];

  it.each(cases)('%s (%s): gets its status, and errors in JSON', async (_, line, headers, status) => {
    const served = await serve();
    const [response, ...otherResponses] = await sendRequests(
      served,
      request(line, [...headers(served), closeHeader]),
    );
    expect([response?.status, otherResponses, served.unexpectedErrors]).toEqual([status, [], []]);
    if (status !== 200) expect(JSON.parse(response?.body ?? '')).toHaveProperty('message');
  });

  it.each([
    ['text/plain;charset=UTF-8', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonp', 415],
    ['application/json', 201],
    ['application/json; charset=utf-8', 201],
    ['Application/JSON', 201],
    [undefined, 201],
  ])('with content type %s: gets the status %d', async (type, status) => {
    const served = await serve();
    const contentTypeHeader = type === undefined ? [] : [`Content-Type: ${type}`];
    const createRequest = request(
      'POST /suppliers',
      [...authorizedHeaders(served), ...contentTypeHeader, closeHeader],
      '{"name":"Fresh Farms"}',
    );
    const [response] = await sendRequests(served, createRequest);
    expect(response?.status).toBe(status);
    if (status === 415) expect(JSON.parse(response?.body ?? '').message).toContain('application/json');
  });
});
