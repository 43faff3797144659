import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startMeasured } from '../harness/measured-boh.ts';
import { repetitions, reportTried } from '../harness/repetitions.ts';

/** Returns the peak memory of a list of n pages, in MB. Each page is half a megabyte. */
async function peakOf(pages: number): Promise<number> {
  const filler = 'x'.repeat(10_000);
  const server = createServer(({ url = '' }, response) => {
    const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
    const data = Array.from({ length: 50 }, (_, index) => ({ id: `${page}-${index}`, name: filler }));
    response.end(JSON.stringify({ data, meta: { last_page: pages, total: pages * 50 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  // A long time-out, because each response was once kept in memory for that time.
  const words = ['customers', 'list', '-o', 'ndjson', '--timeout', '600'];
  const { child, usage } = startMeasured(words, { port });
  child.stderr.pipe(process.stderr);
  let lines = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) lines++;
  });
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  expect({ exitCode, lines }).toEqual({ exitCode: 0, lines: pages * 50 });
  return usage().peakMb;
}

test('list --all: takes hardly more memory for many pages than for few', { timeout: 1_800_000 }, async () => {
  const fewPages = await peakOf(60);
  const manyPages = await peakOf(repetitions(400));
  expect(fewPages).toBeLessThan(260);
  // Records that stay in memory would add 200 MB or more.
  expect(manyPages).toBeLessThan(fewPages * 1.35 + 20);
  reportTried({ tried: `${repetitions(400)} pages` });
});
