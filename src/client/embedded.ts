/** The transport to a service in the same process: no port, no network. `main` hands it the sandbox's handler. */
import type { HttpAnswer, HttpRequest, Transport } from './transport.ts';

/** Answers one request. The signal ends the waiting for whatever keeps it from that. */
export type Handler = (
  request: Omit<HttpRequest, 'body'> & { body: string },
  signal?: AbortSignal,
) => HttpAnswer | Promise<HttpAnswer>;

export function embeddedTransport(handle: Handler): Transport {
  return async (request, signal) => {
    signal?.throwIfAborted();
    return handle({ ...request, body: request.body ?? '' }, signal);
  };
}
