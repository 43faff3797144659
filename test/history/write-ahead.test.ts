/** Entries of a batch are recorded before its first write is sent, and get their outcomes even if the process is killed. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { formatHint } from '../../src/base/hint.ts';
import type { Entry } from '../../src/history/journal/entry.ts';
import { Journal } from '../../src/history/journal/journal.ts';
import { journalToRead } from '../../src/history/journal/journal-to-read.ts';
import { entries } from '../../src/history/journal/reading.ts';
import { verify } from '../../src/history/maintenance/verify.ts';
import { Recorder } from '../../src/history/recording/recorder.ts';
import type { RecorderOptions } from '../../src/history/recording/recorder-options.ts';
import { api } from '../../src/resources/index.ts';
import type { RunWrite } from '../../src/session/observed-writes.ts';
import { createCustomer, observedWrites } from '../harness/new-customers.ts';
import { freezeTimers } from '../harness/wait-until.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-ahead-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Returns a part of a run: row `at`, which names its customer. */
function part(at: number, name = `Customer ${at}`): RunWrite {
  return {
    call: { operation: createCustomer, ids: [], body: { name } },
    details: { part: { run: 'a run', name: `${at}.0` } },
  };
}

const answered = (id: string) => ({ recordResponse: { record: { id }, body: '' } });

/** Sends writes through a recorder to a service that answers each with an id. */
function processOf(recorder: Recorder) {
  const observed = observedWrites([recorder], ({ body }) => ({
    method: 'POST',
    target: '/customers',
    headers: {},
    body: JSON.stringify(body),
  }));
  const send = ({ call, details: facts }: RunWrite, id: string) =>
    observed.send(observed.toOutgoingWrite(call, facts), async () => answered(id));
  return { observed, send };
}

let files = 0;
const newFile = () => join(folder, `${files++}.sqlite`);

function recorderOf(file: string, options: Partial<RecorderOptions> = {}): Recorder {
  return new Recorder({
    api,
    file,
    line: 'boh customers import',
    run: 'none',
    profile: null,
    account: {},
    isReadBefore: true,
    isRequired: true,
    hide: (text) => text,
    onProblem: (problem) => expect.unreachable(formatHint(problem)),
    now: () => 0,
    ...options,
  });
}

/** Returns the entries oldest first, as another process reads them. */
function seen(file: string): Pick<Entry, 'number' | 'outcome' | 'id'>[] {
  const journal = journalToRead(file);
  expect(verify(journal)).toMatchObject({ intact: true, problems: [] });
  const found = [...entries(journal, {})].map(({ number, outcome, id }) => ({ number, outcome, id }));
  journal.close();
  return found.reverse();
}

function messageOf(file: string, number: number): string | undefined {
  const journal = journalToRead(file);
  const found = [...entries(journal, {})].find((entry) => entry.number === number);
  journal.close();
  return found?.answered?.error?.message;
}

test('a batch: is recorded before its first write, and each entry gets its own outcome', async () => {
  const file = newFile();
  const recorder = recorderOf(file);
  const { observed, send } = processOf(recorder);
  await observed.announce([part(1), part(2), part(3)]);
  const open = { outcome: 'unknown', id: null };
  expect(seen(file)).toEqual([1, 2, 3].map((number) => ({ number, ...open })));
  await send(part(2), 'b');
  await send(part(1), 'a');
  await observed.reportEnd();
  recorder.finish();
  expect(seen(file)).toEqual([
    { number: 1, outcome: 'done', id: 'a' },
    { number: 2, outcome: 'done', id: 'b' },
    { number: 3, outcome: 'refused', id: null },
  ]);
  expect(messageOf(file, 3)).toBe('It was not sent: its run stopped before.');
});

test('a run that ends with writes in progress: leaves their entries open', async () => {
  const file = newFile();
  const recorder = recorderOf(file);
  const { observed } = processOf(recorder);
  await observed.announce([part(1), part(2)]);
  const { call, details: facts } = part(1);
  let answer = (_: ReturnType<typeof answered>) => {};
  const inFlight = observed.send(
    observed.toOutgoingWrite(call, facts),
    () => new Promise<ReturnType<typeof answered>>((resolve) => (answer = resolve)),
  );
  await new Promise(setImmediate);
  await observed.reportEnd();
  expect(seen(file).map(({ outcome }) => outcome)).toEqual(['unknown', 'refused']);
  answer(answered('a'));
  await inFlight;
  recorder.finish();
  expect(seen(file).map(({ outcome }) => outcome)).toEqual(['done', 'refused']);
});

test('a write that differs from its announcement: gets a separate entry', async () => {
  const file = newFile();
  const recorder = recorderOf(file);
  const { observed, send } = processOf(recorder);
  await observed.announce([part(1), part(2)]);
  await send(part(1), 'a');
  await send(part(2, 'Another name'), 'b');
  await observed.reportEnd();
  recorder.finish();
  expect(seen(file).map(({ outcome }) => outcome)).toEqual(['done', 'refused', 'done']);
});

test('a part that is announced again before it is sent: keeps its entry', async () => {
  const file = newFile();
  const recorder = recorderOf(file);
  const { observed, send } = processOf(recorder);
  await observed.announce([part(1)]);
  await observed.announce([part(1), part(2)]);
  await send(part(1), 'a');
  await send(part(2), 'b');
  recorder.finish();
  expect(seen(file).map(({ outcome, id }) => [outcome, id])).toEqual([
    ['done', 'a'],
    ['done', 'b'],
  ]);
});

test('open entries of a killed process: get their outcomes when the run is resumed', async () => {
  const file = newFile();
  await processOf(recorderOf(file)).observed.announce([part(1), part(2), part(3), part(4)]);
  const recorder = recorderOf(file);
  const { observed, send } = processOf(recorder);
  // The service has shown that the first was carried out and two were not; the last one is unknown.
  expect(await observed.unfinishedParts('a run')).toEqual(['1.0', '2.0', '3.0', '4.0']);
  await observed.reportReconciled({ run: 'a run', name: '1.0' }, { outcome: 'done', id: 'a' });
  for (const name of ['2.0', '3.0'])
    await observed.reportReconciled({ run: 'a run', name }, { outcome: 'not_sent' });
  expect(await observed.unfinishedParts('a run')).toEqual(['4.0']);
  await send(part(2), 'b');
  await send(part(3), 'c');
  recorder.finish();
  expect(seen(file)).toEqual([
    { number: 1, outcome: 'done', id: 'a' },
    { number: 2, outcome: 'refused', id: null },
    { number: 3, outcome: 'refused', id: null },
    { number: 4, outcome: 'unknown', id: null },
    { number: 5, outcome: 'done', id: 'b' },
    { number: 6, outcome: 'done', id: 'c' },
  ]);
  expect(messageOf(file, 3)).toBe('It was not carried out before its process ended.');
});

test('a long run: queues no more entries than a reader moves quickly', async () => {
  const file = newFile();
  freezeTimers();
  const recorder = recorderOf(file, { maxWaiting: 2000 });
  const { send } = processOf(recorder);
  const count = 4500;
  for (let at = 1; at <= count; at++) {
    await send(part(at), `${at}`);
    // The run takes longer than the delay of outcomes.
    if (at % 1000 === 0) await vi.advanceTimersByTimeAsync(60);
  }
  recorder.finish();
  const journal = new Journal(file);
  // The chain has only the entries that no longer wait.
  const waiting = count - verify(journal).entries;
  journal.close();
  expect(waiting).toBeLessThanOrEqual(2000);
  expect(waiting).toBeGreaterThan(500);
  expect(seen(file).every(({ number, outcome, id }) => outcome === 'done' && id === `${number}`)).toBe(true);
});
