/** The requests of one connection, one after the other: what is asked behind a write, without waiting, sees what it wrote. */
import type { Duplex } from 'node:stream';
import type { Exchange } from './send.ts';

interface Line {
  /** What was asked last. */
  last: Exchange;
  /** What came before that and is still to be answered. */
  before: Exchange | undefined;
  /** How many wait for what came before them. */
  waiting: number;
}

export class InOrder {
  readonly #lines = new WeakMap<Duplex, Line>();

  /** At once, unless something that came before is still to be answered. */
  run(exchange: Exchange, work: () => void): void {
    const { socket } = exchange.incoming;
    const line = this.#lines.get(socket);
    if (!line) {
      this.#lines.set(socket, holding(socket, { last: exchange, before: undefined, waiting: 0 }));
    } else if (line.last.outgoing.writableEnded) {
      Object.assign(line, { last: exchange, before: undefined });
    } else {
      wait(line, exchange, work);
      return;
    }
    work();
  }

  /** Once all that was asked has been answered, but for what is not even whole. */
  behind(socket: Duplex, work: () => void): void {
    const { last, before } = this.#lines.get(socket) ?? {};
    const asked = last?.incoming.complete ? last : before;
    if (!asked || asked.outgoing.writableFinished) work();
    else asked.outgoing.once('close', work);
  }
}

/** Node reads on with each answer. While anything waits no more is read: whoever sends without end would fill the memory. */
function holding(socket: Duplex, line: Line): Line {
  socket.on('resume', () => {
    if (line.waiting > 0) socket.pause();
  });
  return line;
}

function wait(line: Line, exchange: Exchange, work: () => void): void {
  const { socket } = exchange.incoming;
  const before = line.last;
  Object.assign(line, { last: exchange, before, waiting: line.waiting + 1 });
  socket.pause();
  before.outgoing.once('close', () => {
    line.waiting -= 1;
    if (line.before === before) line.before = undefined;
    // Nobody waits for the rest where the connection broke.
    if (socket.destroyed) return;
    if (line.waiting === 0) socket.resume();
    work();
  });
}
