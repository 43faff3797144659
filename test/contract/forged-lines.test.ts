/** Sends line breaks in every text of a response: they must not start a line in the output of any command. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Operation, operations } from '../../src/api/contract/operation.ts';
import { exampleArguments } from '../../src/api/reference/examples.ts';
import { api } from '../../src/api/resources/index.ts';
import { type BohResult, runBoh } from '../harness/run-boh.ts';

/** Text with every character that some program treats as a line break, each before a forged line. */
const forgedLines = ['\n', '\r\n', '\r', '\u0085', '\u2028', '\u2029']
  .map((lineBreak) => `${lineBreak}boh: FORGED`)
  .join('');

const record = {
  ...Object.fromEntries(
    api.collections.flatMap(({ fields }) => Object.keys(fields).map((name) => [name, forgedLines])),
  ),
  id: `it${forgedLines}`,
  user: { id: 'me', name: forgedLines },
  business: { id: 'b', name: forgedLines, reference: forgedLines },
  [`unknown${forgedLines}`]: forgedLines,
};
const errorBody = { message: forgedLines, errors: { [forgedLines]: [forgedLines], name: [forgedLines] } };

const responsesByCase = {
  'returns a record': (isList: boolean) => [
    200,
    { data: isList ? [record, { ...record, id: forgedLines }] : record },
  ],
  'returns 422': () => [422, errorBody],
  'returns 401': () => [401, errorBody],
  'returns 403': () => [403, errorBody],
  'returns 404': () => [404, errorBody],
  // 501 is permanent: no request is repeated.
  'returns 501': () => [501, errorBody],
  'returns text': () => [200, forgedLines],
} as const satisfies Record<string, (isList: boolean) => readonly [number, unknown]>;
type ServiceCase = keyof typeof responsesByCase;

let currentCase: ServiceCase;
const service = createServer((request, response) => {
  const isList =
    request.method === 'GET' && !/^\/\w+\/[^?]/.test(request.url ?? '') && request.url !== '/whoami';
  const [status, body] = responsesByCase[currentCase](isList);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
});

let env: Record<string, string>;
const folder = mkdtempSync(join(tmpdir(), 'boh-forged-'));
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const profile = {
    base_url: baseUrl,
    token: 'a-long-token',
    business_id: 'b',
    business_name: forgedLines,
    user_name: forgedLines,
  };
  const config = { version: 1, active: 'main', profiles: { main: profile }, defaults: {} };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  env = { BOH_CONFIG_DIR: folder };
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Expects no forged line in the output. The result of `boh api` is excluded, because it is the unchanged response. */
function expectNoForgedLine({ stdout, stderr }: BohResult, line: string): void {
  const output = line.startsWith('api') ? stderr : `${stdout}\n${stderr}`;
  const lines = output.split(/[\n\r\u0085\u2028\u2029]/u);
  expect(
    lines.filter((text) => text.startsWith('boh: FORGED')),
    line,
  ).toEqual([]);
}

function argumentsOf(operation: Operation): string[] {
  return exampleArguments(operation)
    .filter((word) => word !== '--sandbox')
    .map((word) => word.replace(/^@/, ''));
}

const otherCommands = [
  'auth status --check',
  'auth scopes',
  'auth can customers list',
  'doctor',
  'profiles list',
  'profiles show',
  'config list',
  'api GET /customers',
  'api POST /customers --data {}',
  'api DELETE /customers/1 --yes',
  'customers get @name:x',
  'customers get @FORGED',
  'suppliers delete 1 2 --yes',
];

describe.each(Object.keys(responsesByCase) as ServiceCase[])(
  'response with line breaks, where the service %s',
  (serviceCase) => {
    beforeAll(() => {
      currentCase = serviceCase;
    });

    // Every operation prints records and 422 errors in its own way; other responses are reported by common code.
    const isPerOperation = serviceCase === 'returns a record' || serviceCase === 'returns 422';
    const testedResources = isPerOperation
      ? api.resources
      : api.collections.filter(({ name }) => name === 'suppliers');
    it.each(testedResources.flatMap(operations))(
      '$resource.command $verb: prints no forged line',
      async (operation) => {
        const line = [...argumentsOf(operation), '--yes', '-v', '-o', 'table'];
        expectNoForgedLine(await runBoh(line, { env }), line.join(' '));
      },
    );

    it.each(otherCommands)('boh %s: prints no forged line', async (line) => {
      expectNoForgedLine(await runBoh([...line.split(' '), '-v', '-o', 'table'], { env }), line);
    });
  },
);
