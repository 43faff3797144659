import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showWaitingForSeries } from '../../src/terminal/waiting.ts';
import { fakeStreams } from './fake-streams.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
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
