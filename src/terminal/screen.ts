/** A full-window screen that is redrawn. Closing it restores the previous content of the window. */
import { type Streams, write } from './streams.ts';

/** The screen. */
export interface Screen {
  /** Returns how many lines of `body` fit. */
  maxLines(): number;
  /** Replaces the shown lines. Lines at the end of `body` that don't fit are omitted. */
  draw(body: readonly string[], status: string): Promise<void>;
  /** Closes the screen until the next draw. Call it in a `finally`, as the cursor would stay hidden. */
  close(): Promise<void>;
}

/** Opens a screen. On a terminal that can't move its cursor, the lines are written again whenever they change. */
export function openScreen(streams: Streams): Screen {
  return streams.cursor ? fullScreen(streams) : plainScreen(streams);
}

// Control sequences of ECMA-48 and xterm: the alternate buffer, the hidden cursor, and the top left corner.
const enterScreen = '\x1b[?1049h\x1b[?25l';
const leaveScreen = '\x1b[?25h\x1b[?1049l';
const moveToTopLeft = '\x1b[H';
const clearToEndOfLine = '\x1b[K';
const clearToEnd = '\x1b[J';

function fullScreen(streams: Streams): Screen {
  let isOpen = false;
  const maxLines = () => Math.max(1, streams.rows('out') - 2);
  return {
    maxLines,
    async draw(body, status) {
      const lines = [...body.slice(0, maxLines()), '', status];
      const text = lines.map((line) => line + clearToEndOfLine).join('\r\n') + clearToEnd;
      const start = isOpen ? moveToTopLeft : enterScreen + moveToTopLeft;
      isOpen = true;
      await write(streams.stdout, start + text);
    },
    async close() {
      const wasOpen = isOpen;
      isOpen = false;
      if (wasOpen) await write(streams.stdout, leaveScreen);
    },
  };
}

function plainScreen({ stdout }: Streams): Screen {
  let lastText = '';
  return {
    maxLines: () => Number.POSITIVE_INFINITY,
    async draw(body, status) {
      const text = body.join('\n');
      if (text !== lastText) await write(stdout, `${text}\n${status}\n\n`);
      lastText = text;
    },
    async close() {},
  };
}
