/** Sends every write of the API over a connection that fails: boh must not repeat it, and must report its unknown outcome. */
import { afterAll, describe, expect, it, vi } from 'vitest';
import { isWrite, type Operation, operations } from '../../src/api/contract/operation.ts';
import { exampleArguments } from '../../src/api/reference/examples.ts';
import { api } from '../../src/api/resources/index.ts';
import { jsonResponse, type Respond, startRawService } from '../client/raw-service.ts';
import { isSoak, reportTried } from '../harness/repetitions.ts';
import { runBoh } from '../harness/run-boh.ts';

const failureModes: Record<string, Respond> = {
  'a reset': (socket) => socket.resetAndDestroy(),
  'half a response': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"data":'),
  'a 502': (socket) => socket.write(jsonResponse({ message: 'Bad gateway' }, '502 Bad Gateway')),
  'a 504 with Retry-After': (socket) =>
    socket.write(jsonResponse({}, '504 Gateway Timeout', 'retry-after: 0\r\n')),
  // The timers of all timeouts are advanced at once.
  'no response': () => void vi.advanceTimersByTimeAsync(3_600_000),
};

const writes = api.collections.flatMap(operations).filter(isWrite);

/** Returns the writes to test with a failure: a share of them in an ordinary run, all of them in a soak test. */
function writesFor(index: number): Operation[] {
  const modeCount = Object.keys(failureModes).length;
  return isSoak ? writes : writes.filter((_, writeIndex) => writeIndex % modeCount === index);
}

let writeCount = 0;
afterAll(() => reportTried({ tried: `${writeCount} writes` }));

function argumentsOf(operation: Operation): string[] {
  return exampleArguments(operation)
    .filter((word) => word !== '--sandbox')
    .map((word) => (word.startsWith('@') ? word.slice(1).replaceAll(' ', '-') : word));
}

async function runWithFailure(line: readonly string[], fail: Respond) {
  writeCount++;
  const service = await startRawService((socket, request, modeCount) => {
    // A write may read the signed-in user first, and nothing else.
    if (request.startsWith('GET /whoami')) socket.write(jsonResponse({ data: { user: { id: 'me' } } }));
    else fail(socket, request, modeCount);
  });
  const env = {
    BOH_TOKEN: 'a-token',
    BOH_BASE_URL: `http://127.0.0.1:${service.port}`,
  };
  if (fail === failureModes['no response']) vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const result = await runBoh([...line, '--yes'], { env });
  vi.useRealTimers();
  const writeRequests = service.requests.filter((request) => !request.startsWith('GET /whoami'));
  await service.close();
  return { ...result, sent: writeRequests };
}

describe.each(
  Object.entries(failureModes).map(([name, fail], index) => [name, fail, writesFor(index)] as const),
)('write with a broken connection: %s', (_, fail, testedWrites) => {
  it.each(testedWrites)(
    '$resource.command $verb: has an unknown outcome, and is sent once',
    async (operation) => {
      const {
        exitCode,
        stdout,
        stderr,
        sent: writeRequests,
      } = await runWithFailure(argumentsOf(operation), fail);
      expect(writeRequests).toHaveLength(1);
      expect([exitCode, stdout]).toEqual([8, '']);
      const { error } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
      expect(error).toMatchObject({ category: 'unavailable', outcome: 'unknown' });
      expect(error.hint).toMatch(/\bboh [a-z]/);
    },
  );

  it.each(testedWrites)(
    'boh api with the path of $resource.command $verb: has an unknown outcome, and is sent once',
    async ({ method, path }) => {
      const body = method === 'GET' || method === 'DELETE' ? [] : ['--data', '{"name":"x"}'];
      const query = method === 'GET' ? ['--query', 'order_id=1'] : [];
      const target = path.replaceAll(/\{\w+\}/g, '1');
      const {
        exitCode,
        stderr,
        sent: writeRequests,
      } = await runWithFailure(['api', method, target, ...query, ...body], fail);
      expect(writeRequests).toHaveLength(1);
      expect(exitCode).toBe(8);
      expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.outcome).toBe('unknown');
    },
  );
});
