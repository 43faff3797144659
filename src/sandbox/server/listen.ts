/** Serves a sandbox on this machine only, until it is closed. */
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

/** How to serve a sandbox. */
export interface ListenOptions extends Omit<ServingOptions, 'stopping'> {
  /** 0 chooses a free port. */
  port: number;
}

/** A served sandbox. */
export interface ServedSandbox {
  baseUrl: string;
  /** Stops accepting requests, waits for open ones for a short time, then closes the connections. */
  close(): Promise<void>;
}

const host = '127.0.0.1';

const serverOptions: ServerOptions = {
  // Longer than Node's default: the service itself refuses long URLs, with its own message.
  maxHeaderSize: 262_144,
  requireHostHeader: false,
  // Duplicate host or token headers are joined, so that neither is used.
  joinDuplicateHeaders: true,
};

/** How long open requests may take when the server stops, in milliseconds. */
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
  // A client that has sent everything and closed its side, as `nc -N` does, still gets its response. Node has no
  // typed option for this.
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
    return usage(`You may not use port ${port}.`, {
      hint: 'Choose a port from 1024 up, or a free one with --port 0.',
    });
  }
  return new Failure('unavailable', `The sandbox can't listen on port ${port}: ${error.message}.`, {
    cause: error,
  });
}

function close(server: Server, stopping: AbortController): Promise<void> {
  stopping.abort();
  return new Promise((resolve) => {
    // Connections become idle one by one, as their requests end.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The accepted hosts: the names of this machine. */
const localHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Returns whether the host header names this machine. A web page elsewhere can point its own name to 127.0.0.1 and
 * make the browser send requests here; the header then has that name.
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && localHost.test(host);
}

/** Responses by Node's error codes. */
const responsesByCode: Readonly<Record<string, ServiceResponse>> = {
  HPE_HEADER_OVERFLOW: jsonResponse(431, { message: 'The request is too long.' }),
  ERR_HTTP_REQUEST_TIMEOUT: jsonResponse(408, { message: 'The request took too long.' }),
};

const notHttp = jsonResponse(400, { message: 'The request is not HTTP.' });

function respondToClientError({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET') socket.destroy();
  else endSocketWith(responsesByCode[code] ?? notHttp, socket);
}

/** The sandbox is not a proxy. */
function refuseTunnel(socket: Duplex): void {
  endSocketWith(methodNotAllowed('CONNECT', ['GET', 'POST', 'PUT', 'DELETE']).response(), socket);
}

function endSocketWith({ status, headers, body }: ServiceResponse, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}

/**
 * The requests of one connection. They are answered one after the other, so that a request sent right after a write
 * sees what it wrote.
 */
interface Pipeline {
  /** The latest request. */
  last: HttpExchange;
  /** The request before it, if it isn't answered yet. */
  before: HttpExchange | undefined;
  /** How many requests wait for earlier ones. */
  waiting: number;
}

/** Answers the requests of each connection in order. */
export class ConnectionOrder {
  readonly #pipelines = new WeakMap<Duplex, Pipeline>();

  /** Runs the work immediately, unless an earlier request of the connection isn't answered yet. */
  run(exchange: HttpExchange, work: () => void): void {
    const { socket } = exchange.incoming;
    const line = this.#pipelines.get(socket);
    if (!line) {
      this.#pipelines.set(
        socket,
        withBackpressure(socket, { last: exchange, before: undefined, waiting: 0 }),
      );
    } else if (line.last.outgoing.writableEnded) {
      Object.assign(line, { last: exchange, before: undefined });
    } else {
      waitForEarlier(line, exchange, work);
      return;
    }
    work();
  }

  /** Runs the work once all complete requests of the connection are answered. */
  afterAll(socket: Duplex, work: () => void): void {
    const { last, before } = this.#pipelines.get(socket) ?? {};
    const latest = last?.incoming.complete ? last : before;
    if (!latest || latest.outgoing.writableFinished) work();
    else latest.outgoing.once('close', work);
  }
}

/** Node reads on after each response. Reading pauses while requests wait, so that a client can't fill the memory. */
function withBackpressure(socket: Duplex, line: Pipeline): Pipeline {
  socket.on('resume', () => {
    if (line.waiting > 0) socket.pause();
  });
  return line;
}

function waitForEarlier(line: Pipeline, exchange: HttpExchange, work: () => void): void {
  const { socket } = exchange.incoming;
  const before = line.last;
  Object.assign(line, { last: exchange, before, waiting: line.waiting + 1 });
  socket.pause();
  before.outgoing.once('close', () => {
    line.waiting -= 1;
    if (line.before === before) line.before = undefined;
    // The connection broke: no one waits for the rest.
    if (socket.destroyed) return;
    if (line.waiting === 0) socket.resume();
    work();
  });
}
