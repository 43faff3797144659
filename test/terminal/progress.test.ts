import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { note } from '../../src/cli/terminal/messages.ts';
import { showWaitingForSeries, startPartsProgress, startProgress } from '../../src/cli/terminal/progress.ts';
import { type FakeStreams, fakeStreams } from './fake-streams.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function createTerminalStreams(settings = {}): FakeStreams {
  const streams = fakeStreams(settings);
  Object.assign(streams.stderr, { isTTY: true, columns: 80, cursorTo: () => true, clearLine: () => true });
  return streams;
}

/** Advances the clock by two seconds, and waits for the library to load. */
async function advanceTwoSeconds() {
  await vi.advanceTimersByTimeAsync(2_000);
  await vi.dynamicImportSettled();
}

test('progress: is hidden for work of less than two seconds', async () => {
  const streams = createTerminalStreams();
  const progress = startProgress(streams, { label: 'Reading customers' });
  progress.update(50);
  await vi.advanceTimersByTimeAsync(1_900);
  progress.done();
  await advanceTwoSeconds();
  expect(streams.written.err()).toBe('');
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['away from a terminal', { isTerminal: { in: true, out: true, err: false } }],
  ['on a dumb terminal', { cursor: false }],
  ['with --quiet', { quiet: true }],
])('progress: is hidden %s', async (_condition, settings) => {
  const streams = createTerminalStreams(settings);
  const progress = startProgress(streams, { label: 'Reading', total: 10 });
  await advanceTwoSeconds();
  progress.update(5);
  progress.done();
  expect(streams.written.err()).toBe('');
});

test('progress: shows a count, and clears its line at the end', async () => {
  const streams = createTerminalStreams();
  const progress = startProgress(streams, { label: 'Reading \x1b[2J' });
  progress.update(50);
  await advanceTwoSeconds();
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading ␛[2J: 50');
  progress.done();
  expect(streams.statusLine).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test('progress with a known total: shows a bar, in ASCII if the locale is ASCII', async () => {
  const streams = createTerminalStreams({ unicode: false });
  const progress = startProgress(streams, { label: 'Importing', total: 200 });
  progress.update(100);
  await advanceTwoSeconds();
  expect(stripVTControlCharacters(streams.written.err())).toContain(
    'Importing ##########.......... 100 of 200',
  );
  progress.done();
});

test('progress: moves below a printed note', async () => {
  const streams = createTerminalStreams();
  const progress = startProgress(streams, { label: 'Reading' });
  await advanceTwoSeconds();
  streams.written.err();
  note(streams, 'Waiting as the service asks.');
  expect(streams.written.err()).toMatch(/Waiting as the service asks\.\n$/);
  progress.update(7);
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading: 7');
  progress.done();
});

test('progress of several parts: is shown after two seconds in total, with the number of the part', async () => {
  const streams = createTerminalStreams();
  const progress = startPartsProgress(streams, 3, Date.now);
  progress.startPart('Reading tags');
  await vi.advanceTimersByTimeAsync(1_500);
  progress.startPart('Reading groups');
  await vi.advanceTimersByTimeAsync(400);
  expect(streams.written.err()).toBe('');
  await vi.advanceTimersByTimeAsync(100);
  await vi.dynamicImportSettled();
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading groups (2 of 3): 0');
  progress.startPart('Reading users');
  await vi.advanceTimersByTimeAsync(0);
  await vi.dynamicImportSettled();
  progress.update(50);
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading users (3 of 3): 0');
  progress.startPart('Reading the history');
  await vi.advanceTimersByTimeAsync(0);
  await vi.dynamicImportSettled();
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading the history: 0');
  progress.done();
  expect(streams.statusLine).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test('quick requests: are shown after two seconds in total, with the number of responses', async () => {
  const streams = fakeStreams();
  const startWait = showWaitingForSeries(streams, 'Waiting for api.example.com', Date.now);
  for (let count = 0; count < 7; count++) {
    const endWait = startWait();
    await vi.advanceTimersByTimeAsync(300);
    endWait();
  }
  expect(streams.written.err()).toBe('');
  const endWait = startWait();
  expect(streams.written.err()).toContain('Waiting for api.example.com, 7 responses so far …');
  endWait();
  expect(streams.statusLine).toBeUndefined();
});

test('request after a pause: is shown only if it takes long again', async () => {
  const streams = fakeStreams();
  const startWait = showWaitingForSeries(streams, 'Waiting for api.example.com', Date.now);
  const endFirstWait = startWait();
  await vi.advanceTimersByTimeAsync(3_000);
  endFirstWait();
  streams.written.err();
  await vi.advanceTimersByTimeAsync(1_100);
  const endSecondWait = startWait();
  await vi.advanceTimersByTimeAsync(300);
  expect(streams.written.err()).toBe('');
  await vi.advanceTimersByTimeAsync(100);
  expect(streams.written.err()).toContain('Waiting for api.example.com …');
  endSecondWait();
});
