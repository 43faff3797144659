/** Serves a sandbox over HTTP on 127.0.0.1 until it is closed. */
import { createServer, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure, usage } from '../../base/errors.ts';
import { methodNotAllowed } from '../http/http-error.ts';
import { jsonResponse, type ServiceResponse } from '../http/message.ts';
import { RequestLog } from '../inspector/request-log.ts';
import type { Sandbox } from '../service.ts';
import { apiListener } from './api.ts';
import type { ServingOptions } from './options.ts';
import { pagesOf } from './pages.ts';
import { useHostInUrl } from './request.ts';
import { type HttpExchange, sendWhole } from './send.ts';

/** Options for serving a sandbox. */
export interface ListenOptions extends Omit<ServingOptions, 'stopping'> {
  /** 0 chooses a free port. */
  port: number;
}

/** A served sandbox. */
export interface ServedSandbox {
  baseUrl: string;
  /** Stops accepting requests, waits for open requests for a short time, then closes the connections. */
  close(): Promise<void>;
}

const host = '127.0.0.1';

const serverOptions: ServerOptions = {
  // Larger than Node's default, so that the sandbox refuses long URLs with its own message.
  maxHeaderSize: 262_144,
  requireHostHeader: false,
  // Duplicate host or authorization headers are joined, so that they are invalid.
  joinDuplicateHeaders: true,
};

/** The time for open requests when the server stops, in milliseconds. */
const graceMs = 500;

/** Starts the server. */
export async function listen(sandbox: Sandbox, options: ListenOptions): Promise<ServedSandbox> {
  const stopping = new AbortController();
  const serving = { ...options, stopping: stopping.signal };
  const log = new RequestLog();
  const pages = pagesOf(sandbox, log, serving);
  const api = apiListener(sandbox, log, serving);
  const order = new ConnectionOrder();
  const server = createServer(serverOptions, (incoming, outgoing) => {
    const exchange = { incoming, outgoing };
    order.run(exchange, () => {
      useHostInUrl(incoming);
      const { method = '', url = '', headers } = incoming;
      if (!isLocalHost(headers.host))
        sendWhole(headers.host === undefined ? missingHost : unknownHost, exchange);
      else if (pages.has(method, url)) pages.answer(incoming, outgoing);
      else api(incoming, outgoing);
    });
  });
  // A client that closes its side after sending, like `nc -N`, still gets its response. Node's types don't have this
  // option.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('checkExpectation', (incoming, outgoing) =>
    sendWhole(unsupportedExpectation, { incoming, outgoing }),
  );
  server.on('connect', (_, socket) => order.afterAll(socket, () => refuseTunnel(socket)));
  server.on('clientError', (error, socket) =>
    order.afterAll(socket, () => respondToClientError(error, socket)),
  );
  await bind(server, options.port);
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://${host}:${port}`, close: () => close(server, stopping) };
}

const unknownHost = jsonResponse(421, {
  message: 'The sandbox only accepts the hosts 127.0.0.1 and localhost.',
});
const missingHost = jsonResponse(400, { message: 'The request has no host.' });
const unsupportedExpectation = jsonResponse(417, { message: 'Only Expect: 100-continue is supported.' });

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(bindFailure(error, port)));
    server.listen(port, host, resolve);
  });
}

function bindFailure(error: NodeJS.ErrnoException, port: number): Failure {
  if (error.code === 'EADDRINUSE') {
    return usage(`Port ${port} is already in use.`, {
      hint: 'Choose another port, or a free one with --port 0.',
    });
  }
  if (error.code === 'EACCES') {
    return usage(`Permission denied for port ${port}.`, {
      hint: 'Choose a port of at least 1024, or a free one with --port 0.',
    });
  }
  return new Failure('unavailable', `The sandbox can't listen on port ${port}: ${error.message}.`, {
    cause: error,
  });
}

function close(server: Server, stopping: AbortController): Promise<void> {
  stopping.abort();
  return new Promise((resolve) => {
    // Connections become idle one by one, when their requests end.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The accepted hosts, with an optional port: the names of this machine. */
const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Returns whether the host header names this machine. A web page elsewhere can point its own name to 127.0.0.1 and
 * make the browser send requests here; the header then has that name.
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && localHost.test(host);
}

/** The responses to invalid requests, by Node's error code. */
const responsesByCode: Readonly<Record<string, ServiceResponse>> = {
  HPE_HEADER_OVERFLOW: jsonResponse(431, { message: 'The request is too long.' }),
  ERR_HTTP_REQUEST_TIMEOUT: jsonResponse(408, { message: 'The request took too long.' }),
};

const notHttp = jsonResponse(400, { message: 'The request is not HTTP.' });

function respondToClientError({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET') socket.destroy();
  else endSocketWith(responsesByCode[code] ?? notHttp, socket);
}

/** Refuses CONNECT, because the sandbox isn't a proxy. */
function refuseTunnel(socket: Duplex): void {
  endSocketWith(methodNotAllowed('CONNECT', ['GET', 'POST', 'PUT', 'DELETE']).response(), socket);
}

function endSocketWith({ status, headers, body }: ServiceResponse, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const allHeaders = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(allHeaders).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}

/** The requests of one connection, which are handled in order, so that a request after a write sees its result. */
interface Pipeline {
  /** The latest request. */
  last: HttpExchange;
  /** The request before it, if its response isn't sent yet. */
  before: HttpExchange | undefined;
  /** The number of requests that wait for earlier requests. */
  waiting: number;
}

/** Handles the requests of each connection in order. */
export class ConnectionOrder {
  readonly #pipelines = new WeakMap<Duplex, Pipeline>();

  /** Runs the work once the earlier requests of the connection are handled. */
  run(exchange: HttpExchange, work: () => void): void {
    const { socket } = exchange.incoming;
    const pipeline = this.#pipelines.get(socket);
    if (!pipeline) {
      this.#pipelines.set(
        socket,
        withBackpressure(socket, { last: exchange, before: undefined, waiting: 0 }),
      );
    } else if (pipeline.last.outgoing.writableEnded) {
      Object.assign(pipeline, { last: exchange, before: undefined });
    } else {
      waitForEarlier(pipeline, exchange, work);
      return;
    }
    work();
  }

  /** Runs the work once the responses to all complete requests of the connection are sent. */
  afterAll(socket: Duplex, work: () => void): void {
    const { last, before } = this.#pipelines.get(socket) ?? {};
    const latest = last?.incoming.complete ? last : before;
    if (!latest || latest.outgoing.writableFinished) work();
    else latest.outgoing.once('close', work);
  }
}

/** Pauses reading while requests wait, so that a client can't fill the memory. Node resumes it after each response. */
function withBackpressure(socket: Duplex, pipeline: Pipeline): Pipeline {
  socket.on('resume', () => {
    if (pipeline.waiting > 0) socket.pause();
  });
  return pipeline;
}

function waitForEarlier(pipeline: Pipeline, exchange: HttpExchange, work: () => void): void {
  const { socket } = exchange.incoming;
  const before = pipeline.last;
  Object.assign(pipeline, { last: exchange, before, waiting: pipeline.waiting + 1 });
  socket.pause();
  before.outgoing.once('close', () => {
    pipeline.waiting -= 1;
    if (pipeline.before === before) pipeline.before = undefined;
    // The client has disconnected, so the waiting requests are dropped.
    if (socket.destroyed) return;
    if (pipeline.waiting === 0) socket.resume();
    work();
  });
}
