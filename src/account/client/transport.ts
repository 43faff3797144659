/** Defines requests, responses and transports: the network or the embedded sandbox. */
import type { Hint } from '../../base/hint.ts';
import { elapsedMs } from '../../base/stopwatch.ts';
/** An HTTP request. */
export interface HttpRequest {
  method: string;
  /** The path and query exactly as sent, percent-encoded: `/v5/customers?filter[name]=x`. */
  target: string;
  /** Headers by their lower-case names. */
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
  /** Whether the request writes, with any method. Writes are sent only once. */
  isWrite?: boolean;
}

export interface HttpResponse {
  status: number;
  /** Headers by their lower-case names; the last one if a header occurs twice. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** False if the body isn't valid UTF-8. Invalid bytes are replaced by U+FFFD. */
  isValidUtf8?: boolean;
}

/** Sends one request, once. Throws a TransportError if no complete response arrives. */
export type Transport = (request: HttpRequest, signal?: AbortSignal) => Promise<HttpResponse>;

/** The details of a `TransportError`. */
export interface TransportErrorDetails {
  mayHaveArrived: boolean;
  isPermanent?: boolean;
  hint?: Hint | undefined;
  cause?: unknown;
}

/** The error of a request without a complete response. */
export class TransportError extends Error {
  /** Whether the service may have received the request. False only if it was certainly not sent. */
  readonly mayHaveArrived: boolean;
  /** Whether another attempt would fail in the same way: an untrusted certificate, an endless response. */
  readonly isPermanent: boolean;
  readonly hint: Hint | undefined;

  constructor(message: string, { mayHaveArrived, isPermanent = false, hint, cause }: TransportErrorDetails) {
    super(message, { cause });
    this.name = 'TransportError';
    this.mayHaveArrived = mayHaveArrived;
    this.isPermanent = isPermanent;
    this.hint = hint;
  }
}

/** Returns a transport that uses up to `maxTransports` transports concurrently. */
export function pooledTransport(maxTransports: number, createTransport: () => Transport): Transport {
  const idleTransports: Transport[] = [];
  const waiters: ((transport: Transport) => void)[] = [];
  let createdCount = 0;

  const acquire = (): Promise<Transport> | Transport => {
    const idleTransport = idleTransports.pop();
    if (idleTransport) return idleTransport;
    if (createdCount < maxTransports) {
      createdCount++;
      return createTransport();
    }
    return new Promise((resolve) => waiters.push(resolve));
  };
  const release = (transport: Transport) => {
    const next = waiters.shift();
    if (next) next(transport);
    else idleTransports.push(transport);
  };

  return async (request, signal): Promise<HttpResponse> => {
    const transport = await acquire();
    try {
      return await transport(request, signal);
    } finally {
      release(transport);
    }
  };
}

/** Handles one request. The signal cancels waits. */
export type Handler = (
  request: Omit<HttpRequest, 'body'> & { body: string },
  signal?: AbortSignal,
) => HttpResponse | Promise<HttpResponse>;

/** How long signals and timers may be delayed, in milliseconds. */
const maxSignalDelayMs = 50;

export function embeddedTransport(handle: Handler): Transport {
  let lastTurnMs = elapsedMs();
  return async (request, signal) => {
    // Nothing here waits for the event loop: a run over many records would never receive a signal.
    if (elapsedMs() - lastTurnMs > maxSignalDelayMs) {
      await new Promise((resolve) => setImmediate(resolve));
      lastTurnMs = elapsedMs();
    }
    signal?.throwIfAborted();
    return handle({ ...request, body: request.body ?? '' }, signal);
  };
}
