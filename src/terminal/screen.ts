/** A whole window that is drawn over again and again; what stood there before is back when it closes. */
import { type Streams, write } from './streams.ts';

export interface Screen {
  /** Lines of `body` that the window has room for. */
  room(): number;
  /** Shows lines in place of those before; what the window has no room for is left out at the end of `body`. */
  draw(body: readonly string[], status: string): Promise<void>;
  /** Call it in a `finally`: the terminal would keep a hidden cursor. */
  close(): Promise<void>;
}

/** A terminal that can't move its cursor gets the lines one below the other, whenever they have changed. */
export function openScreen(streams: Streams): Screen {
  return streams.cursor ? fullScreen(streams) : plainScreen(streams);
}

// The words of ECMA-48 and xterm: another buffer than the one in use, the cursor shown or hidden, and moved home.
const enter = '\x1b[?1049h\x1b[?25l';
const leave = '\x1b[?25h\x1b[?1049l';
const home = '\x1b[H';
const clearToEndOfLine = '\x1b[K';
const clearToEnd = '\x1b[J';

function fullScreen(streams: Streams): Screen {
  let isOpen = false;
  const room = () => Math.max(1, streams.rows - 2);
  return {
    room,
    async draw(body, status) {
      const lines = [...body.slice(0, room()), '', status];
      const text = lines.map((line) => line + clearToEndOfLine).join('\r\n');
      await write(streams.stdout, `${isOpen ? '' : enter}${home}${text}${clearToEnd}`);
      isOpen = true;
    },
    async close() {
      if (isOpen) await write(streams.stdout, leave);
      isOpen = false;
    },
  };
}

function plainScreen({ stdout }: Streams): Screen {
  let before = '';
  return {
    room: () => Number.POSITIVE_INFINITY,
    async draw(body, status) {
      const text = body.join('\n');
      if (text !== before) await write(stdout, `${text}\n${status}\n\n`);
      before = text;
    },
    async close() {},
  };
}
