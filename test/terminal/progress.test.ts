import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { note } from '../../src/terminal/messages.ts';
import { startPartsProgress, startProgress } from '../../src/terminal/progress.ts';
import { type FakeStreams, fakeStreams } from './fake-streams.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function onTerminal(settings = {}): FakeStreams {
  const streams = fakeStreams(settings);
  Object.assign(streams.stderr, { isTTY: true, columns: 80, cursorTo: () => true, clearLine: () => true });
  return streams;
}

/** Advances the clock by two seconds, and waits for the library to load. */
async function twoSeconds() {
  await vi.advanceTimersByTimeAsync(2_000);
  await vi.dynamicImportSettled();
}

test('progress: is hidden for work of less than two seconds', async () => {
  const streams = onTerminal();
  const shown = startProgress(streams, { label: 'Reading customers' });
  shown.update(50);
  await vi.advanceTimersByTimeAsync(1_900);
  shown.done();
  await twoSeconds();
  expect(streams.written.err()).toBe('');
  expect(vi.getTimerCount()).toBe(0);
});

test.each([
  ['away from a terminal', { isTerminal: { in: true, out: true, err: false } }],
  ['on a dumb terminal', { cursor: false }],
  ['with --quiet', { quiet: true }],
])('progress: is hidden %s', async (_when, settings) => {
  const streams = onTerminal(settings);
  const shown = startProgress(streams, { label: 'Reading', total: 10 });
  await twoSeconds();
  shown.update(5);
  shown.done();
  expect(streams.written.err()).toBe('');
});

test('progress: shows a count, and clears its line at the end', async () => {
  const streams = onTerminal();
  const shown = startProgress(streams, { label: 'Reading \x1b[2J' });
  shown.update(50);
  await twoSeconds();
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading ␛[2J: 50');
  shown.done();
  expect(streams.statusLine).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});

test('progress with a known total: shows a bar, in ASCII if the locale is ASCII', async () => {
  const streams = onTerminal({ unicode: false });
  const shown = startProgress(streams, { label: 'Importing', total: 200 });
  shown.update(100);
  await twoSeconds();
  expect(stripVTControlCharacters(streams.written.err())).toContain(
    'Importing ##########.......... 100 of 200',
  );
  shown.done();
});

test('progress: moves below a printed note', async () => {
  const streams = onTerminal();
  const shown = startProgress(streams, { label: 'Reading' });
  await twoSeconds();
  streams.written.err();
  note(streams, 'Waiting as the service asks.');
  expect(streams.written.err()).toMatch(/Waiting as the service asks\.\n$/);
  shown.update(7);
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading: 7');
  shown.done();
});

test('progress of several parts: is shown after two seconds in total, with the number of the part', async () => {
  const streams = onTerminal();
  const shown = startPartsProgress(streams, 3, Date.now);
  shown.startPart('Reading tags');
  await vi.advanceTimersByTimeAsync(1_500);
  shown.startPart('Reading groups');
  await vi.advanceTimersByTimeAsync(400);
  expect(streams.written.err()).toBe('');
  await vi.advanceTimersByTimeAsync(100);
  await vi.dynamicImportSettled();
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading groups (2 of 3): 0');
  shown.startPart('Reading users');
  await vi.advanceTimersByTimeAsync(0);
  await vi.dynamicImportSettled();
  shown.update(50);
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading users (3 of 3): 0');
  shown.startPart('Reading the history');
  await vi.advanceTimersByTimeAsync(0);
  await vi.dynamicImportSettled();
  expect(stripVTControlCharacters(streams.written.err())).toContain('Reading the history: 0');
  shown.done();
  expect(streams.statusLine).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
});
