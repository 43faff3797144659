/** A proxy that holds requests back, so that a test decides the order of the requests of several processes. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface DelayingService {
  baseUrl: string;
  /** The requests so far, as `POST /customers`. */
  requests: readonly string[];
  /** Holds matching requests from now on. */
  delay(what: RegExp): DelayedRequests;
}

export interface DelayedRequests {
  /** Resolves when this number of requests wait. */
  waiting(count?: number): Promise<void>;
  /** Lets held and later requests through. */
  release(): void;
}

/** Starts the proxy and stops it at the end of the test. */
export async function delayingService(target: string): Promise<DelayingService> {
  const requests: string[] = [];
  const gates = new Set<Gate>();
  const server = createServer((incoming, outgoing) => {
    const what = `${incoming.method} ${incoming.url}`;
    requests.push(what);
    const gate = [...gates].find(({ pattern }) => pattern.test(what));
    const go = () => forward(target, incoming, outgoing);
    if (gate) gate.keep(go);
    else go();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    delay(pattern) {
      const gate = new Gate(pattern);
      gates.add(gate);
      return {
        waiting: (count = 1) => gate.reached(count),
        release: () => {
          gates.delete(gate);
          gate.open();
        },
      };
    },
  };
}

class Gate {
  readonly pattern: RegExp;
  readonly #kept: (() => void)[] = [];
  #looks: (() => void)[] = [];

  constructor(pattern: RegExp) {
    this.pattern = pattern;
  }

  keep(go: () => void): void {
    this.#kept.push(go);
    for (const look of this.#looks) look();
  }

  reached(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.#kept.length >= count) resolve();
      };
      this.#looks.push(look);
      look();
    });
  }

  open(): void {
    this.#looks = [];
    for (const go of this.#kept.splice(0)) go();
  }
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers, url = '' } = incoming;
  const { host: _, ...rest } = headers;
  const passed = request(new URL(url, target), { method, headers: rest }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  // Requests of a killed process are still carried out.
  incoming.pipe(passed);
}
