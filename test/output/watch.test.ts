import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/account/client/client.ts';
import type { Call } from '../../src/account/client/request.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { Failure } from '../../src/base/errors.ts';
import type { Context } from '../../src/cli/context/context.ts';
import { present } from '../../src/cli/output/present.ts';
import type { View } from '../../src/cli/output/view.ts';
import { openScreen, watchList } from '../../src/cli/output/watch.ts';
import '../../src/api/resources/index.ts';
import { type ListCall, type ListRange, readList } from '../../src/account/session/list.ts';
import type { FormatName } from '../../src/account/settings/format-names.ts';
import { taxes } from '../../src/api/resources/taxes.ts';
import { findFormat } from '../../src/cli/terminal/formats/index.ts';
import { fakeStreams } from '../terminal/fake-streams.ts';

type Row = Record<string, unknown>;

const list = operation(taxes, 'list');
if (!list) throw new Error('taxes has no list');

/**
 * Runs a watch over a list of responses and returns its output. The last wait interrupts it. Only waits advance its clock.
 */
async function runWatch(
  name: FormatName,
  responses: readonly (readonly Row[] | Failure)[],
  { every = '5', pages = 1, filters = {}, streams = fakeStreams() } = {},
) {
  const controller = new AbortController();
  const interruption = new Failure('interrupted', 'Interrupted.');
  const waits: number[] = [];
  const requestedTimes: (string | undefined)[] = [];
  let now = Date.parse('2026-11-20T12:00:00Z');
  const client = {
    async *pages({ query }: Call) {
      requestedTimes.push(query?.filters?.updated_after);
      const response = responses[requestedTimes.length - 1] ?? [];
      if (response instanceof Failure) throw response;
      for (let page = 1; page <= pages; page++) {
        yield { rows: page === 1 ? [...response] : [], body: '', hasNext: page < pages };
      }
    },
  } as unknown as Client;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      waits.push(ms);
      now += ms;
      if (waits.length < responses.length) return;
      controller.abort(interruption);
      throw interruption;
    },
  };
  const format = findFormat(name) as View['format'];
  const view: View = {
    resource: taxes,
    format,
    include: [],
    optionalInclude: [],
    wide: false,
    timeZone: 'UTC',
    bom: false,
    raw: false,
    otherColumns: [],
  };
  const context = { streams, signal: controller.signal, globals: { output: name } } as unknown as Context;
  const watch = {
    context,
    session: { list: (call: ListCall, range?: ListRange) => readList(client, call, range) },
    call: { operation: list as never, query: { filters } },
    view,
    range: { isFirstPageOnly: false },
  };
  const showWatch = async () => present(context, await watchList(watch, every, clock), view);
  const error: unknown = await showWatch().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return {
    out: streams.written.out(),
    err: streams.written.err(),
    waits,
    requestedTimes,
    error,
    interruption,
  };
}

const vat = { id: '1', name: 'VAT', rate: 15, updated_at: '2026-11-20 11:59:00' };
const duty = { id: '2', name: 'Duty', rate: 5, updated_at: '2026-11-20 11:59:30' };
const parseLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

describe('list --watch -o ndjson', () => {
  test('prints each change once, without the initial records', async () => {
    const changedVat = { ...vat, rate: 17, updated_at: '2026-11-20 12:00:03' };
    const { out, error, interruption } = await runWatch('ndjson', [
      [vat, duty],
      [vat, duty],
      [changedVat],
      [changedVat],
      [],
    ]);
    expect(parseLines(out)).toEqual([changedVat]);
    expect(error).toBe(interruption);
  });

  test('requests changes since the newest known change, with an overlap', async () => {
    const { requestedTimes } = await runWatch('ndjson', [
      [vat, duty],
      [],
      [{ ...vat, updated_at: '2026-11-20 12:00:09' }],
      [],
    ]);
    expect(requestedTimes).toEqual([
      '2026-11-20 11:45:00',
      '2026-11-20 11:59:28',
      '2026-11-20 11:59:28',
      '2026-11-20 12:00:07',
    ]);
  });

  test('detects a second change within one second', async () => {
    const first = { ...vat, rate: 16, updated_at: '2026-11-20 12:00:03' };
    const second = { ...first, rate: 17 };
    const { out } = await runWatch('ndjson', [[], [first], [second], [second]]);
    expect(parseLines(out)).toEqual([first, second]);
  });

  test('--updated-after: starts at that time', async () => {
    const filters = { updated_after: '2026-11-01 00:00:00' };
    const { out, requestedTimes } = await runWatch('ndjson', [[vat], [vat]], { filters });
    expect(parseLines(out)).toEqual([vat]);
    expect(requestedTimes[0]).toBe('2026-11-01 00:00:00');
  });

  test('a service without a response: increases the interval, and respects the retry delay of the service', async () => {
    const outage = new Failure('unavailable', 'No connection.');
    const limited = new Failure('rate_limited', 'Too many.', { retryAfterSeconds: 900 });
    const { waits } = await runWatch(
      'ndjson',
      [[], outage, outage, outage, [], outage, limited, outage, []],
      {
        every: '60',
      },
    );
    expect(waits.map((ms) => ms / 1000)).toEqual([60, 60, 120, 240, 60, 60, 900, 240, 60]);
  });

  test('a retry delay of years: the next try is in an hour, and the message says so', async () => {
    const limited = (seconds: number) =>
      new Failure('rate_limited', 'Too many.', { retryAfterSeconds: seconds });
    const { waits, err } = await runWatch('ndjson', [
      [],
      limited(999_999_999),
      limited(1e300),
      limited(0),
      [],
    ]);
    expect(waits).toEqual([5_000, 3_600_000, 3_600_000, 20_000, 5_000]);
    expect(err.match(/Too many\. Next try in 60 minutes\./g)).toHaveLength(2);
  });

  test('an unreachable service: keeps waiting; a rejected token: ends', async () => {
    const outage = new Failure('unavailable', 'No connection.');
    const refusal = new Failure('not_signed_in', 'No.');
    const { err, error, waits } = await runWatch('ndjson', [[], outage, outage, [], refusal]);
    expect(err.match(/No connection\./g)).toHaveLength(2);
    expect(error).toBe(refusal);
    expect(waits).toHaveLength(4);
    expect((await runWatch('ndjson', [outage])).error).toBe(outage);
  });
});

describe('list --watch: the interval', () => {
  test('is the requested one, or longer if one read takes many requests', async () => {
    expect((await runWatch('ndjson', [[], []], { every: '7' })).waits).toEqual([7000, 7000]);
    expect((await runWatch('ndjson', [[vat], [vat]], { every: '5', pages: 6 })).waits).toEqual([
      12_000, 12_000,
    ]);
  });

  test.each(['1', '0', '-5', 'soon', '', '1e9'])('refuses %j', async (every) => {
    expect((await runWatch('ndjson', [[]], { every })).error).toMatchObject({ category: 'usage' });
  });
});

describe('list --watch with a table', () => {
  test('highlights new and changed rows for 15 seconds', async () => {
    const streams = fakeStreams({ color: { out: true, err: false } });
    const changedVat = { ...vat, rate: 17 };
    const { out } = await runWatch(
      'table',
      [[vat], [vat], [changedVat, duty], [changedVat, duty], [changedVat, duty], [changedVat, duty]],
      { streams },
    );
    const frames = out.split('\x1b[H').slice(1);
    const countHighlights = (frame: string | undefined) => (frame?.split('\x1b[7m').length ?? 0) - 1;
    expect(frames.map(countHighlights)).toEqual([0, 0, 2, 2, 2, 0]);
  });

  test('without color: marks new and changed rows with a star', async () => {
    const { out } = await runWatch('table', [[vat], [{ ...vat, rate: 17 }]]);
    expect(out.split('\x1b[H').at(-1)).toContain('1 *');
  });

  test('fits the window, and restores the terminal at the end', async () => {
    const rows = Array.from({ length: 50 }, (_, index) => ({ id: String(index) }));
    const { out } = await runWatch('table', [rows], { streams: fakeStreams({ rows: () => 10 }) });
    expect(out.split('\r\n')).toHaveLength(10);
    expect(out).toContain('50 taxes.');
    expect(out.startsWith('\x1b[?1049h\x1b[?25l')).toBe(true);
    expect(out.endsWith('\x1b[?25h\x1b[?1049l')).toBe(true);
  });

  test('keeps the last rows while the service is unreachable', async () => {
    const { out } = await runWatch('table', [[vat], new Failure('unavailable', 'No connection.')]);
    const frame = out.split('\x1b[H').at(-1);
    expect(frame).toContain('VAT');
    expect(frame).toContain('No connection.');
  });
});

describe('full screen', () => {
  test('fills the window, redraws in place, and restores the terminal', async () => {
    const streams = fakeStreams({ rows: () => 5 });
    const screen = openScreen(streams);
    await screen.draw(['1', '2', '3', '4', '5'], 'status');
    await screen.draw(['one'], 'status');
    await screen.close();
    await screen.close();
    expect(streams.written.out()).toBe(
      [
        '\x1b[?1049h\x1b[?25l\x1b[H1\x1b[K\r\n2\x1b[K\r\n3\x1b[K\r\n\x1b[K\r\nstatus\x1b[K\x1b[J',
        '\x1b[Hone\x1b[K\r\n\x1b[K\r\nstatus\x1b[K\x1b[J',
        '\x1b[?25h\x1b[?1049l',
      ].join(''),
    );
  });

  test('without a draw: writes nothing', async () => {
    const streams = fakeStreams();
    await openScreen(streams).close();
    expect(streams.written.out()).toBe('');
  });

  test('on a dumb terminal: prints one text for each change', async () => {
    const streams = fakeStreams({ cursor: false });
    const screen = openScreen(streams);
    await screen.draw(['a'], 'at 1');
    await screen.draw(['a'], 'at 2');
    await screen.draw(['b'], 'at 3');
    await screen.close();
    expect(streams.written.out()).toBe('a\nat 1\n\nb\nat 3\n\n');
  });
});
