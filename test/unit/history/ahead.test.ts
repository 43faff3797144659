/** Entries that are written ahead of their writes: never told as sent before they are, and settled whatever becomes of their process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { Entry } from '../../../src/history/journal/entry.ts';
import { Journal } from '../../../src/history/journal/journal.ts';
import { journalToRead } from '../../../src/history/journal/journal-to-read.ts';
import { entries } from '../../../src/history/journal/reading.ts';
import { verify } from '../../../src/history/keeping/verify.ts';
import { Recorder } from '../../../src/history/recording/recorder.ts';
import type { RecorderOptions } from '../../../src/history/recording/recorder-options.ts';
import { api } from '../../../src/resources/index.ts';
import type { OutgoingWrite } from '../../../src/session/write.ts';
import { createCustomer, readerOfNothing } from '../../harness/new-customers.ts';
import { holdTimers } from '../../harness/until.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-ahead-'));
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

/** A part of a run: row `at`, which names its customer. */
function part(at: number, next: OutgoingWrite[] = [], name = `Customer ${at}`): OutgoingWrite {
  const body = { name };
  return {
    call: { operation: createCustomer, ids: [], body },
    request: { method: 'POST', target: '/customers', body: JSON.stringify(body) },
    told: { part: { run: 'a run', name: `${at}.0` } },
    next: () => next,
  };
}

const answered = (id: string) => ({ done: true as const, answered: { record: { id }, body: '' } });

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
    onProblem: (sentence) => expect.unreachable(sentence),
    now: () => 0,
    ...options,
  });
}

/** Oldest first, as another process sees them. */
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

test('what follows is written down with the first, and each is told of by its own outcome alone', async () => {
  const file = newFile();
  const recorder = recorderOf(file);
  const [second, third] = [part(2), part(3)];
  const first = part(1, [second, third]);
  await recorder.before(first, readerOfNothing);
  const open = { outcome: 'unknown', id: null };
  expect(seen(file)).toEqual([1, 2, 3].map((number) => ({ number, ...open })));
  await recorder.before(second, readerOfNothing);
  recorder.after(second, answered('b'));
  recorder.after(first, answered('a'));
  recorder.finish();
  expect(seen(file)).toEqual([
    { number: 1, outcome: 'done', id: 'a' },
    { number: 2, outcome: 'done', id: 'b' },
    { number: 3, outcome: 'refused', id: null },
  ]);
  expect(messageOf(file, 3)).toBe('It was not sent: its run stopped before.');
});

test('the next ones are written down once the last of those before has left, and told of where they never leave', async () => {
  const file = newFile();
  const recorder = recorderOf(file);
  const second = part(2, [part(3), part(4)]);
  const first = part(1, [second]);
  await recorder.before(first, readerOfNothing);
  await recorder.before(second, readerOfNothing);
  expect(seen(file)).toHaveLength(2);
  await new Promise(setImmediate);
  expect(seen(file)).toHaveLength(4);
  recorder.after(first, answered('a'));
  recorder.after(second, answered('b'));
  recorder.finish();
  expect(seen(file).map(({ outcome }) => outcome)).toEqual(['done', 'done', 'refused', 'refused']);
});

test('what turns out to leave otherwise has an entry of its own', async () => {
  const file = newFile();
  const recorder = recorderOf(file);
  await recorder.before(part(1, [part(2)]), readerOfNothing);
  const changed = part(2, [], 'Somebody else');
  await recorder.before(changed, readerOfNothing);
  recorder.after(changed, answered('b'));
  recorder.finish();
  expect(seen(file).map(({ outcome }) => outcome)).toEqual(['unknown', 'refused', 'done']);
});

test('what a process left open is settled by the one that goes on with its run', async () => {
  const file = newFile();
  const killed = recorderOf(file);
  await killed.before(part(1, [part(2), part(3), part(4)]), readerOfNothing);
  const resuming = recorderOf(file);
  // A look at the service has shown that the first was carried out, and nothing of two; of the last one nothing is known.
  expect(await resuming.leftOpen('a run')).toEqual(['1.0', '2.0', '3.0', '4.0']);
  await resuming.settled({ run: 'a run', name: '1.0' }, { to: 'done', id: 'a' });
  for (const name of ['2.0', '3.0']) await resuming.settled({ run: 'a run', name }, { to: 'nothing' });
  expect(await resuming.leftOpen('a run')).toEqual(['4.0']);
  const [again, andThis] = [part(2), part(3)];
  await resuming.before(again, readerOfNothing);
  await resuming.before(andThis, readerOfNothing);
  resuming.after(again, answered('b'));
  resuming.after(andThis, answered('c'));
  resuming.finish();
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

test('of a long run no more wait to be asked for than enter in a moment', async () => {
  const file = newFile();
  holdTimers();
  const recorder = recorderOf(file, { mostWaiting: 2000 });
  const count = 4500;
  for (let at = 1; at <= count; at++) {
    const write = part(at);
    await recorder.before(write, readerOfNothing);
    await recorder.after(write, answered(`${at}`));
    // The run goes on for longer than outcomes are left for later.
    if (at % 1000 === 0) await vi.advanceTimersByTimeAsync(60);
  }
  recorder.finish();
  const journal = new Journal(file);
  const { waiting } =
    journal.database.get('SELECT tail.number - chain_end.number AS waiting FROM tail, chain_end') ?? {};
  journal.close();
  expect(Number(waiting)).toBeLessThanOrEqual(2000);
  expect(Number(waiting)).toBeGreaterThan(500);
  expect(seen(file).every(({ number, outcome, id }) => outcome === 'done' && id === `${number}`)).toBe(true);
});
