/** Sends requests of `fetch` and undici to a sandbox in the same process. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { RequestHandler } from '../sandbox/server/api.ts';
import type { SandboxDispatcher, TestSandbox } from './types.ts';

/** Returns a function like `fetch`. It sends the token unless a request has another authorization. */
export function createFetch(handle: RequestHandler, baseUrl: string, token: string): TestSandbox['fetch'] {
  return async (input, init) => {
    const request = new Request(typeof input === 'string' ? new URL(input, baseUrl) : input, init);
    const { pathname, search, host } = new URL(request.url);
    const headers = { host, authorization: `Bearer ${token}`, ...Object.fromEntries(request.headers) };
    const body = new Uint8Array(await request.arrayBuffer());
    request.signal.throwIfAborted();
    const { method } = request;
    const { response, sentPart } = await handle({ method, target: pathname + search, headers, body });
    request.signal.throwIfAborted();
    if (sentPart === 'none') throw new TypeError('fetch failed', { cause: disconnected() });
    const { status } = response;
    const text = method === 'HEAD' || statusesWithoutBody.includes(status) ? null : response.body;
    const content = sentPart === 'half' ? brokenStream(text ?? '') : text;
    return new Response(content, { status, headers: response.headers });
  };
}

const statusesWithoutBody = [204, 205, 304];

function disconnected(): Error {
  return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
}

/** Returns half of a text, and then the error of a closed connection. */
function brokenStream(text: string): ReadableStream {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(halfOf(text))),
    pull: (controller) => controller.error(disconnected()),
  });
}

function halfOf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}

interface DispatchOptions {
  method?: string;
  path: string;
  origin?: string | URL;
  headers?: Iterable<[string, string]> | string[] | Record<string, string | string[]> | null;
  body?: unknown;
}

/** The methods of a handler of undici 7 and later, and of earlier versions, which Node's `fetch` still has. */
type DispatchHandler = Partial<Record<string, (...args: unknown[]) => unknown>>;

/** Returns a dispatcher for undici and Node's `fetch`. */
export function createDispatcher(handle: RequestHandler): SandboxDispatcher {
  return {
    dispatch(options, handler) {
      void dispatch(handle, options as DispatchOptions, handler as DispatchHandler);
      return true;
    },
    close: async () => {},
    destroy: async () => {},
  };
}

async function dispatch(
  handle: RequestHandler,
  options: DispatchOptions,
  handler: DispatchHandler,
): Promise<void> {
  const { method = 'GET', path, origin = 'http://sandbox.localhost' } = options;
  const isLegacy = handler.onRequestStart === undefined;
  const aborting = new AbortController();
  const abort = (reason?: unknown) => aborting.abort(reason ?? new Error('Request aborted'));
  const controller = {
    abort,
    pause() {},
    resume() {},
    paused: false,
    aborted: false,
    reason: null,
    rawHeaders: [],
  };
  try {
    if (isLegacy) handler.onConnect?.(abort);
    else handler.onRequestStart?.(controller, {});
    const headers = { host: new URL(origin).host, ...headersOf(options.headers) };
    const body = await bytesOf(options.body);
    const { response, sentPart } = await handle({ method, target: path, headers, body });
    aborting.signal.throwIfAborted();
    if (sentPart === 'none') throw disconnected();
    const sent = Buffer.from(sentPart === 'half' ? halfOf(response.body) : response.body);
    const { status } = response;
    if (isLegacy) {
      const rawHeaders = Object.entries(response.headers)
        .flat()
        .map((text) => Buffer.from(text));
      handler.onHeaders?.(status, rawHeaders, () => {}, '');
      if (method !== 'HEAD' && sent.length > 0) handler.onData?.(sent);
    } else {
      handler.onResponseStart?.(controller, status, response.headers, '');
      if (method !== 'HEAD' && sent.length > 0) handler.onResponseData?.(controller, sent);
    }
    // As on a network, the caller has the headers before the connection ends.
    await setImmediate();
    if (sentPart === 'half') throw disconnected();
    if (isLegacy) handler.onComplete?.([]);
    else handler.onResponseEnd?.(controller, {});
  } catch (error) {
    if (isLegacy) handler.onError?.(error);
    else handler.onResponseError?.(controller, error);
  }
}

function headersOf(headers: DispatchOptions['headers']): Record<string, string> {
  const list = Array.isArray(headers)
    ? pairsOf(headers)
    : headers && Symbol.iterator in headers
      ? headers
      : undefined;
  const pairs = list ?? Object.entries(headers ?? {});
  return Object.fromEntries([...pairs].map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** Returns the pairs of `[name, value, name, value]`. */
function pairsOf(headers: readonly string[]): [string, string][] {
  return headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1] ?? '']] : []));
}

async function bytesOf(body: unknown): Promise<Uint8Array | string> {
  if (body === null || body === undefined) return '';
  if (typeof body === 'string' || body instanceof Uint8Array) return body;
  return buffer(Readable.from(body as AsyncIterable<Uint8Array>));
}
