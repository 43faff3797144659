/** Serves a sandbox on this machine alone, until it is closed. */
import { createServer, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure, usage } from '../../base/errors.ts';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { methodNotAllowed } from '../http/refusal.ts';
import { Journal } from '../inspector/journal.ts';
import type { Sandbox } from '../service.ts';
import { apiListener } from './api.ts';
import type { ServingOptions } from './options.ts';
import { pagesOf } from './pages.ts';
import { takeWholeAddress } from './request.ts';
import { type Exchange, sendWhole } from './send.ts';

export interface ListenOptions extends Omit<ServingOptions, 'stopping'> {
  /** 0 takes a free one. */
  port: number;
}

export interface Served {
  baseUrl: string;
  /** Stops taking requests, lets those under way end, and then breaks what is still open. */
  close(): Promise<void>;
}

const host = '127.0.0.1';

const reading: ServerOptions = {
  // Longer addresses than Node takes by itself: the service says what is wrong with them, in its own words.
  maxHeaderSize: 262_144,
  requireHostHeader: false,
  // Of two hosts or tokens none is taken for the one.
  joinDuplicateHeaders: true,
};

/** How long requests under way have to end, in milliseconds. */
const grace = 500;

export async function listen(sandbox: Sandbox, options: ListenOptions): Promise<Served> {
  const stopping = new AbortController();
  const serving = { ...options, stopping: stopping.signal };
  const journal = new Journal();
  const pages = pagesOf(sandbox, journal, serving);
  const api = apiListener(sandbox, journal, serving);
  const order = new InOrder();
  const server = createServer(reading, (incoming, outgoing) => {
    const exchange = { incoming, outgoing };
    order.run(exchange, () => {
      takeWholeAddress(incoming);
      const { method = '', url = '', headers } = incoming;
      if (!isOwnHost(headers.host)) sendWhole(headers.host === undefined ? noHost : notForUs, exchange);
      else if (pages.has(method, url)) pages.answer(incoming, outgoing);
      else api(incoming, outgoing);
    });
  });
  // Whoever has said all, as `nc -N` does, still listens. Node knows it by this name alone.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('checkExpectation', (incoming, outgoing) => sendWhole(unexpected, { incoming, outgoing }));
  server.on('connect', (_, socket) => order.behind(socket, () => refuseTunnel(socket)));
  server.on('clientError', (error, socket) => order.behind(socket, () => answerBroken(error, socket)));
  await bind(server, options.port);
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://${host}:${port}`, close: () => close(server, stopping) };
}

const notForUs = jsonAnswer(421, { message: 'The sandbox answers only to 127.0.0.1 and localhost.' });
const noHost = jsonAnswer(400, { message: 'The request names no host.' });
const unexpected = jsonAnswer(417, { message: 'Of what a request can expect only 100-continue is known.' });

function bind(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(bindFailure(error, port)));
    server.listen(port, host, resolve);
  });
}

function bindFailure(error: NodeJS.ErrnoException, port: number): Failure {
  if (error.code === 'EADDRINUSE') {
    return usage(`Port ${port} is taken.`, { hint: 'Choose another, or --port 0 for a free one.' });
  }
  if (error.code === 'EACCES') {
    return usage(`Port ${port} is not open to you.`, { hint: 'Choose one from 1024 up, or --port 0.' });
  }
  return new Failure('unavailable', `The sandbox can’t listen on port ${port}: ${error.message}.`, {
    cause: error,
  });
}

function close(server: Server, stopping: AbortController): Promise<void> {
  stopping.abort();
  return new Promise((resolve) => {
    // Connections fall idle one by one, as the requests under way end.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const timer = setTimeout(() => server.closeAllConnections(), grace);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Who may speak to a served sandbox: this machine, under its own names. */
const ownHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Whether the host header names this machine. A web page elsewhere can point a name of its own to 127.0.0.1 and
 * have the browser ask us for everything; that name stands here then.
 */
export function isOwnHost(host: string | undefined): boolean {
  return host !== undefined && ownHost.test(host);
}

/** By the codes of Node’s own errors. */
const known: Readonly<Record<string, ServiceResponse>> = {
  HPE_HEADER_OVERFLOW: jsonAnswer(431, { message: 'The request is too long.' }),
  ERR_HTTP_REQUEST_TIMEOUT: jsonAnswer(408, { message: 'The request did not come to its end in time.' }),
};

const noHttp = jsonAnswer(400, { message: 'The request is not HTTP.' });

function answerBroken({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET') socket.destroy();
  else endWith(known[code] ?? noHttp, socket);
}

/** The sandbox is nobody’s proxy. */
function refuseTunnel(socket: Duplex): void {
  endWith(methodNotAllowed('CONNECT', ['GET', 'POST', 'PUT', 'DELETE']).answer(), socket);
}

function endWith({ status, headers, body }: ServiceResponse, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const all = { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
}

/** The requests of one connection, one after the other: what is asked behind a write, without waiting, sees what it wrote. */
interface Line {
  /** What was asked last. */
  last: Exchange;
  /** What came before that and is still to be answered. */
  before: Exchange | undefined;
  /** How many wait for what came before them. */
  waiting: number;
}

export class InOrder {
  readonly #lines = new WeakMap<Duplex, Line>();

  /** At once, unless something that came before is still to be answered. */
  run(exchange: Exchange, work: () => void): void {
    const { socket } = exchange.incoming;
    const line = this.#lines.get(socket);
    if (!line) {
      this.#lines.set(socket, holding(socket, { last: exchange, before: undefined, waiting: 0 }));
    } else if (line.last.outgoing.writableEnded) {
      Object.assign(line, { last: exchange, before: undefined });
    } else {
      wait(line, exchange, work);
      return;
    }
    work();
  }

  /** Once all that was asked has been answered, but for what is not even whole. */
  behind(socket: Duplex, work: () => void): void {
    const { last, before } = this.#lines.get(socket) ?? {};
    const asked = last?.incoming.complete ? last : before;
    if (!asked || asked.outgoing.writableFinished) work();
    else asked.outgoing.once('close', work);
  }
}

/** Node reads on with each answer. While anything waits no more is read: whoever sends without end would fill the memory. */
function holding(socket: Duplex, line: Line): Line {
  socket.on('resume', () => {
    if (line.waiting > 0) socket.pause();
  });
  return line;
}

function wait(line: Line, exchange: Exchange, work: () => void): void {
  const { socket } = exchange.incoming;
  const before = line.last;
  Object.assign(line, { last: exchange, before, waiting: line.waiting + 1 });
  socket.pause();
  before.outgoing.once('close', () => {
    line.waiting -= 1;
    if (line.before === before) line.before = undefined;
    // Nobody waits for the rest where the connection broke.
    if (socket.destroyed) return;
    if (line.waiting === 0) socket.resume();
    work();
  });
}
