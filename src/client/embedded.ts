/** The transport to a service in the same process: no port, no network. `main` hands it the sandbox's handler. */
import { passedMs } from '../base/stopwatch.ts';
import type { HttpAnswer, HttpRequest, Transport } from './transport.ts';

/** Answers one request. The signal ends the waiting for whatever keeps it from that. */
export type Handler = (
  request: Omit<HttpRequest, 'body'> & { body: string },
  signal?: AbortSignal,
) => HttpAnswer | Promise<HttpAnswer>;

/** For so long, in milliseconds, nobody notices that signals and timers wait. */
const unnoticed = 50;

export function embeddedTransport(handle: Handler): Transport {
  let heardAt = passedMs();
  return async (request, signal) => {
    // Nothing here waits for the world outside: a run over many records would never hear that it is to end.
    if (passedMs() - heardAt > unnoticed) {
      await new Promise((heard) => setImmediate(heard));
      heardAt = passedMs();
    }
    signal?.throwIfAborted();
    return handle({ ...request, body: request.body ?? '' }, signal);
  };
}
