/** One request and its answer over a connection, bounded in time. */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'undici/types/header.js';
import type { Connections } from './connections.ts';
import { type HttpAnswer, type HttpRequest, TransportError } from './transport.ts';

export interface ExchangeOptions {
  origin: string;
  /** From now to the last byte, connecting included. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Told when the first byte is about to go out: before that, nothing of the request can have arrived. */
  onDeparture(): void;
}

/** The whole exchange took longer than it may. */
export class Overtime extends Error {}

/**
 * undici's `request` would keep a stream, a signal and a timer for each answer. Its dispatcher also sends the path as it
 * is, where a URL would tidy up `..%2Fx` and brackets. Nothing outlives the answer here: no timer, no listener.
 */
export function exchange(
  connections: Connections,
  { method, target, headers, body }: HttpRequest,
  { origin, timeoutMs, signal, onDeparture }: ExchangeOptions,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let isOver = false;
    let answer: Pick<HttpAnswer, 'status' | 'headers'> = { status: 0, headers: {} };
    const chunks: Buffer[] = [];

    const settle = () => {
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
    const fail = (error: Error) => {
      if (isOver) return;
      settle();
      reject(error);
      abort?.(error);
    };
    const timer = setTimeout(() => fail(new Overtime()), timeoutMs);
    const onAbort = () => fail(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });

    const { closeUnsaid: reset } = connections;
    connections.dispatcher.dispatch(
      { origin, path: target, method: method as 'GET', headers, body: body ?? null, reset },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason);
          // Nobody waits for it any more: it doesn't go out.
          if (isOver) return controller.abort(new Overtime());
          connections.onDeparture();
          onDeparture();
        },
        onResponseStart(_, status, given) {
          // An interim answer, such as 103: the real one follows.
          if (status < 200) return;
          answer = { status, headers: singleHeaders(given) };
          const { 'content-encoding': encoding = 'identity' } = answer.headers;
          if (encoding !== 'identity') fail(encoded(encoding));
        },
        onResponseData(_, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          if (isOver) return;
          settle();
          connections.onAnswer(answer.headers.connection === 'close');
          const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          resolve({
            ...answer,
            body: text.startsWith('\uFEFF') ? text.slice(1) : text,
            isText: isUtf8(bytes),
          });
        },
        onResponseError(_, error) {
          fail(error);
        },
      },
    );
  });
}

function encoded(encoding: string): TransportError {
  return new TransportError(`The service answers in ${encoding} encoding, which was not asked for.`, {
    mayHaveArrived: true,
    isLasting: true,
  });
}

function singleHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const single: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    single[name.toLowerCase()] = Array.isArray(value) ? (value.at(-1) ?? '') : (value ?? '');
  }
  return single;
}
