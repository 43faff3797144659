/** Serves a sandbox on this machine alone, until it is closed. */
import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Failure, usage } from '../../errors.ts';
import { jsonAnswer } from '../http/message.ts';
import { Journal } from '../inspector/journal.ts';
import type { Sandbox } from '../service.ts';
import { apiListener } from './api.ts';
import { answerBroken, refuseTunnel } from './broken.ts';
import { isOwnHost } from './hosts.ts';
import { InOrder } from './in-order.ts';
import type { ServingOptions } from './options.ts';
import { pagesOf } from './pages.ts';
import { takeWholeAddress } from './request.ts';
import { sendWhole } from './send.ts';

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
