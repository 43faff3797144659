import { describe, expect, test } from 'vitest';
import { openScreen } from '../../src/terminal/screen.ts';
import { fakeStreams } from './fake-streams.ts';

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
