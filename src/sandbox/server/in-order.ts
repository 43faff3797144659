/** The requests of one connection, one after the other: what is asked behind a write, without waiting, sees what it wrote. */
import type { Duplex } from 'node:stream';
import type { Exchange } from './send.ts';

interface Last {
  exchange: Exchange;
  /** What came before it and is still to be answered. */
  before: Exchange | undefined;
}

export class InOrder {
  readonly #last = new WeakMap<Duplex, Last>();

  /** At once, unless something that came before is still to be answered. */
  run(exchange: Exchange, work: () => void): void {
    const { socket } = exchange.incoming;
    const known = this.#last.get(socket)?.exchange;
    const before = known?.outgoing.writableEnded ? undefined : known;
    const last: Last = { exchange, before };
    this.#last.set(socket, last);
    if (!before) work();
    else {
      before.outgoing.once('close', () => {
        last.before = undefined;
        // Nobody waits for the rest where the connection broke.
        if (!socket.destroyed) work();
      });
    }
  }

  /** Once all that was asked has been answered, but for what is not even whole. */
  behind(socket: Duplex, work: () => void): void {
    const { exchange, before } = this.#last.get(socket) ?? {};
    const asked = exchange?.incoming.complete ? exchange : before;
    if (!asked || asked.outgoing.writableFinished) work();
    else asked.outgoing.once('close', work);
  }
}
