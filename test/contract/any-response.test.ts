/** Sends random responses to every command: boh must print a result or a message in time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Operation } from '../../src/api/contract/operation.ts';
import { exampleArguments } from '../../src/api/reference/examples.ts';
import { api } from '../../src/api/resources/index.ts';
import { fc } from '../harness/fast-check.ts';
import { runBoh } from '../harness/run-boh.ts';

/** The bytes of a response, possibly other bytes for a list, and what happens to the connection afterwards. */
interface RawResponse {
  bytes: Buffer;
  listBytes?: Buffer;
  ending: 'open' | 'end' | 'reset';
}

const names = [
  'id',
  'name',
  'data',
  'meta',
  'links',
  'total',
  'next',
  'errors',
  'message',
  'constructor',
  '__proto__',
];
const anyValue = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom(null, '', 0, -1, 1e300, '0', '42', 'it', [], {}, [[]], [null], [1], [{}], [{ id: {} }]),
);
const anyObject = fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 8 })), anyValue);

/** Records with fields of every resource and arbitrary values. */
const fieldNames = [...new Set(api.resources.flatMap(({ fields }) => Object.keys(fields)))];
const anyRecord = fc
  .tuple(fc.dictionary(fc.constantFrom(...fieldNames, 'pivot'), anyValue), anyObject)
  .map(([documented, undocumented]) => ({ ...undocumented, ...documented }));

const meta = fc.record(
  {
    total: anyValue,
    last_page: fc.oneof(anyValue, fc.integer({ min: -1, max: 5 })),
    per_page: anyValue,
    current_page: anyValue,
  },
  { requiredKeys: [] },
);
const envelope = fc.record(
  {
    data: fc.oneof(anyRecord, fc.array(anyRecord, { maxLength: 3 }), anyValue),
    links: fc.oneof(anyValue, fc.record({ next: fc.oneof(anyValue, fc.webUrl()) })),
    meta: fc.oneof(meta, anyValue),
    message: fc.oneof(anyValue, fc.string({ unit: 'binary' })),
    errors: fc.oneof(anyObject, anyValue),
    error: fc.oneof(anyObject, anyValue),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 6, arbitrary: envelope.map((value) => Buffer.from(JSON.stringify(value))) },
  { weight: 2, arbitrary: fc.oneof(anyValue, anyRecord).map((value) => Buffer.from(JSON.stringify(value))) },
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom('', ' ', '<html>', '{', '{"data":', '[1,2', '\ufeff{}', 'null', '{"data":[{}]}{}')
    .map((text) => Buffer.from(text)),
);

const status = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('200', '201', '204', '206') },
  { weight: 4, arbitrary: fc.constantFrom('400', '401', '403', '404', '405', '409', '410', '422', '451') },
  fc.constantFrom('300', '301', '302', '304', '307', '308', '100', '102', '103', '199'),
  fc.constantFrom('429', '500', '502', '503', '504', '520', '501', '599'),
  fc.constantFrom('0', '99', '600', '999', '1000', 'abc', ''),
);
const header = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      'retry-after',
      'location',
      'date',
      'content-type',
      'content-encoding',
      'x-ratelimit-remaining',
      'link',
      'x-boh-outcome',
      'connection',
      'set-cookie',
      'content-location',
    ),
    fc.oneof(
      fc.constantFrom(
        '0',
        '-1',
        '1',
        '1e9',
        'soon',
        '',
        '/',
        '//',
        'http://',
        'gzip',
        'br',
        'close',
        'text/html',
        'application/problem+json',
        'not_sent',
        'Fri, 31 Dec 9999 23:59:59 GMT',
        '\u00ff\u0000',
        'x'.repeat(20_000),
      ),
      fc.string({ maxLength: 20 }),
    ),
  ),
  fc.constantFrom<[string, string]>(
    ['content-length', '3'],
    ['content-length', '-1'],
    ['content-length', '999999'],
    ['transfer-encoding', 'chunked'],
    ['transfer-encoding', 'gzip'],
  ),
);
const anyEnding = fc.constantFrom<RawResponse['ending']>('open', 'open', 'open', 'end', 'end', 'reset');

const wellFormed = fc
  .tuple(status, fc.array(header, { maxLength: 3 }), body, anyEnding)
  .map(([code, headers, content, ending]): RawResponse => {
    const headerLines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    const length = /content-length|transfer-encoding/.test(headerLines)
      ? ''
      : `content-length: ${content.length}\r\n`;
    return {
      bytes: Buffer.concat([
        Buffer.from(`HTTP/1.1 ${code} x\r\n${headerLines}${length}\r\n`, 'latin1'),
        content,
      ]),
      ending: ending,
    };
  });
/** A valid response, except for the values of its records. */
const plausible = fc.array(anyRecord, { minLength: 1, maxLength: 3 }).map((records): RawResponse => {
  const rows = records.map((record, index) => ({ id: `r${index}`, ...record }));
  const list = { data: rows, links: { next: null }, meta: { total: rows.length, last_page: 1 } };
  return { bytes: json({ data: rows[0] }), listBytes: json(list), ending: 'open' };
});

function json(value: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n`), text]);
}

const anyResponse = fc.oneof(
  { weight: 20, arbitrary: plausible },
  { weight: 20, arbitrary: wellFormed },
  fc
    .tuple(fc.uint8Array({ maxLength: 300 }), anyEnding)
    .map(([bytes, ending]): RawResponse => ({ bytes: Buffer.from(bytes), ending })),
);

function argumentsOf(operation: Operation): string[] {
  return exampleArguments(operation).filter((word) => word !== '--sandbox');
}

/** Every example command, with names (which are looked up) and with IDs instead, and commands that read responses otherwise. */
const commandLines = [
  ...api.operations.map(argumentsOf),
  ...api.operations.map((operation) =>
    argumentsOf(operation).map((word) => (word.startsWith('@') ? word.slice(1).replaceAll(' ', '-') : word)),
  ),
  ['suppliers', 'get', '1', '2', '3'],
  ['suppliers', 'update', '1', '--add-tags', '2'],
  ['suppliers', 'update', '1', '--full', '--data', '{"name":"x"}'],
  ['suppliers', 'delete', '1', '2'],
  ['suppliers', 'list', '--all', '--include', 'items,tags'],
  ['suppliers', 'list', '--raw'],
  ['suppliers', 'list', '--query', '[].name'],
  ['suppliers', 'list', '--page', '2'],
  ['auth', 'status', '--check'],
  ['auth', 'scopes'],
  ['auth', 'can', 'customers', 'list'],
  ['doctor'],
  ['api', 'GET', '/suppliers'],
  ['api', 'GET', '/suppliers', '--paginate'],
  ['api', 'POST', '/suppliers', '--data', '{}'],
  ['api', 'DELETE', '/nowhere'],
];
const formats = ['table', 'json', 'csv', 'yaml', 'id', 'ndjson'];

/** Responses that once caused an internal error, each with its command line and output format. */
const regressionCases: [string[], string, RawResponse[]][] = [];

let responses: RawResponse[] = [];
let requestCount = 0;
const service = createServer((socket: Socket) => {
  socket.on('error', () => {});
  socket.on('data', (request) => {
    const { bytes, listBytes = bytes, ending } = responses[requestCount++ % responses.length] as RawResponse;
    const isList = /^GET \/\w+(\?| )/.test(String(request)) && !/^GET \/whoami/.test(String(request));
    socket.write(isList ? listBytes : bytes);
    if (ending === 'end') socket.end();
    if (ending === 'reset') socket.resetAndDestroy();
  });
});
let env: Record<string, string>;
const folder = mkdtempSync(join(tmpdir(), 'boh-responses-'));
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  env = {
    BOH_CONFIG_DIR: folder,
    BOH_BASE_URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
  };
});
afterAll(() => {
  service.close();
  rmSync(folder, { recursive: true });
});

it('any command with any response: ends in time without an internal error', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...commandLines),
      fc.constantFrom(...formats),
      fc.array(anyResponse, { minLength: 1, maxLength: 3 }),
      async (line, format, generated) => {
        responses = generated;
        requestCount = 0;
        const flags = ['--yes', '-v', '-o', format, '--timeout', '0.15', '--deadline', '0.4'];
        // A refused token is cached, so each run has another token.
        const BOH_TOKEN = `a-token-${count++}`;
        const result = await runBoh(
          [...line, ...flags.filter((it) => !(line.includes('--raw') && ['-o', format].includes(it)))],
          { env: { ...env, BOH_TOKEN } },
        );
        expect([0, 2, 3, 4, 5, 6, 7, 8, 9], result.stderr).toContain(result.exitCode);
        expect(result.stderr).not.toMatch(/has a bug|\n\s+at .*:\d+:\d+/);
      },
    ),
    { numRuns: 400, examples: regressionCases },
  );
});
