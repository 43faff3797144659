import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { handleSuspension } from '../../src/cli/terminal/keys.ts';
import { fakeStreams } from './fake-streams.ts';

test('SIGCONT: sets the raw mode again and redraws, until it is released', () => {
  const setRawMode = vi.fn();
  const stdin = Object.assign(new PassThrough(), { isRaw: true, setRawMode });
  const redraw = vi.fn();
  const { release } = handleSuspension({ ...fakeStreams(), stdin }, () => {}, redraw);
  process.emit('SIGCONT', 'SIGCONT');
  expect(setRawMode.mock.calls).toEqual([[false], [true]]);
  expect(redraw).toHaveBeenCalledOnce();
  release();
  process.emit('SIGCONT', 'SIGCONT');
  expect(redraw).toHaveBeenCalledOnce();
});

test('Ctrl-Z on Windows: does nothing', () => {
  const { platform } = process;
  Object.defineProperty(process, 'platform', { value: 'win32' });
  const leave = vi.fn();
  handleSuspension(fakeStreams(), leave, () => {}).suspend();
  Object.defineProperty(process, 'platform', { value: platform });
  expect(leave).not.toHaveBeenCalled();
});
