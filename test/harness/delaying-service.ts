/** A proxy that delays requests, so that a test controls the order of the requests of several processes. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface DelayingService {
  baseUrl: string;
  /** The requests so far, such as `POST /customers`. */
  requests: readonly string[];
  /** Holds matching requests from now on. */
  delay(pattern: RegExp): DelayedRequests;
}

export interface DelayedRequests {
  /** Resolves when this number of requests is waiting. */
  waitForRequests(count?: number): Promise<void>;
  /** Forwards the held requests, and all later requests. */
  release(): void;
}

/** Starts the proxy and stops it at the end of the test. */
export async function startDelayingService(target: string): Promise<DelayingService> {
  const requests: string[] = [];
  const gates = new Set<Gate>();
  const server = createServer((incoming, outgoing) => {
    const requestLine = `${incoming.method} ${incoming.url}`;
    requests.push(requestLine);
    const gate = [...gates].find(({ pattern }) => pattern.test(requestLine));
    const send = () => forward(target, incoming, outgoing);
    if (gate) gate.add(send);
    else send();
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
        waitForRequests: (count = 1) => gate.waitForRequests(count),
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
  readonly #heldRequests: (() => void)[] = [];
  #listeners: (() => void)[] = [];

  constructor(pattern: RegExp) {
    this.pattern = pattern;
  }

  add(send: () => void): void {
    this.#heldRequests.push(send);
    for (const listener of this.#listeners) listener();
  }

  waitForRequests(count: number): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.#heldRequests.length >= count) resolve();
      };
      this.#listeners.push(check);
      check();
    });
  }

  open(): void {
    this.#listeners = [];
    for (const send of this.#heldRequests.splice(0)) send();
  }
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers, url = '' } = incoming;
  const { host: _, ...forwardedHeaders } = headers;
  const forwardedRequest = request(
    new URL(url, target),
    { method, headers: forwardedHeaders },
    (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    },
  );
  forwardedRequest.on('error', () => outgoing.destroy());
  // Requests of a killed process are still forwarded.
  incoming.pipe(forwardedRequest);
}
