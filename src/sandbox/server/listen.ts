/** Serves a sandbox on this machine alone, until it is closed. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure, usage } from '../../errors.ts';
import { jsonAnswer } from '../http/message.ts';
import { Journal } from '../inspector/journal.ts';
import type { Sandbox } from '../service.ts';
import { apiListener } from './api.ts';
import { isOwnHost } from './hosts.ts';
import type { ServerOptions } from './options.ts';
import { pagesOf } from './pages.ts';
import { sendWhole } from './send.ts';

export interface ListenOptions extends Omit<ServerOptions, 'stopping'> {
  /** 0 takes a free one. */
  port: number;
}

export interface Served {
  baseUrl: string;
  /** Stops taking requests, lets those under way end, and then breaks what is still open. */
  close(): Promise<void>;
}

const host = '127.0.0.1';

/** Longer addresses than Node takes by itself: the service says what is wrong with them, in its own words. */
const mostHeaderBytes = 262_144;

/** How long requests under way have to end, in milliseconds. */
const grace = 500;

export async function listen(sandbox: Sandbox, options: ListenOptions): Promise<Served> {
  const stopping = new AbortController();
  const serving = { ...options, stopping: stopping.signal };
  const journal = new Journal();
  const pages = pagesOf(sandbox, journal, serving);
  const api = apiListener(sandbox, journal, serving);
  const server = createServer({ maxHeaderSize: mostHeaderBytes }, (incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming;
    if (!isOwnHost(headers.host)) sendWhole(notForUs, { incoming, outgoing });
    else if (pages.has(method, url)) pages.answer(incoming, outgoing);
    else api(incoming, outgoing);
  });
  server.on('clientError', answerBroken);
  await bind(server, options.port);
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://${host}:${port}`, close: () => close(server, stopping) };
}

const notForUs = jsonAnswer(421, { message: 'The sandbox answers only to 127.0.0.1 and localhost.' });

/** What can't be read as HTTP gets an answer in the service's form too. */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isTooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLong ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = JSON.stringify({
    message: isTooLong ? 'The request is too long.' : 'The request is not HTTP.',
  });
  const headers = `content-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
}

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
