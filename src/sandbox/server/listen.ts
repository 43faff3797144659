/** Serves a sandbox over HTTP, by default on 127.0.0.1, until it is closed. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  STATUS_CODES,
} from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { Hono } from 'hono';
import { Failure, usage } from '../../base/errors.ts';
import { jsonResponse, methodNotAllowed, type ServiceResponse } from '../http/message.ts';
import type { RequestLog } from '../inspector/request-log.ts';
import { inspectorRoutes } from '../inspector/routes.ts';
import { authorizeRoutes } from '../oauth/routes.ts';
import type { Sandbox } from '../service.ts';
import { errorResponse, type ServingOptions, sendWhole, useHostInUrl } from './api.ts';
import { type MountedSandbox, MountedSandboxes, type MountOptions, mountSandbox } from './mounted.ts';

export interface ListenOptions extends Omit<MountOptions, 'stopping'> {
  /** The port; 0 chooses a free port. */
  port: number;
  /** The address to listen on; by default 127.0.0.1. On another one, the pages and the sign-in are for this machine only. */
  host?: string | undefined;
  /** The names under which other machines reach the server, in addition to `host`. */
  allowedHosts?: readonly string[] | undefined;
}

export interface ServedSandbox {
  baseUrl: string;
  /** The sandbox at the root of the server. */
  first: MountedSandbox;
  /** Stops accepting requests, waits for open requests for a short time, then closes the connections. */
  close(): Promise<void>;
}

const loopbackHost = '127.0.0.1';

const serverOptions: ServerOptions = {
  // The limit is larger than Node's default, so that the sandbox refuses long URLs with its own message.
  maxHeaderSize: 262_144,
  requireHostHeader: false,
  // Duplicate host or authorization headers are joined, so that they are invalid.
  joinDuplicateHeaders: true,
  // Longer than clients usually pause: a request on a connection that is being closed would fail.
  keepAliveTimeout: 300_000,
};

/** The time for open requests when the server stops, in milliseconds. */
const graceMs = 5000;

/** Starts the server. Throws a usage failure if the port can't be used. */
export async function listen(sandbox: Sandbox, options: ListenOptions): Promise<ServedSandbox> {
  const { host = loopbackHost, allowedHosts = [] } = options;
  const stopping = new AbortController();
  const serving = { ...options, stopping: stopping.signal };
  const others = new MountedSandboxes(sandbox, serving);
  const first = mountSandbox(sandbox, '', serving, others);
  const pages = createPages(sandbox, first.log, serving);
  // 0.0.0.0 and :: are all addresses of this machine, and none that a client can use.
  const name = ['0.0.0.0', '::'].includes(host) ? loopbackHost : host;
  const isForThisMachine = (method: string, path = '') =>
    path === '/oauth/token' || (pages.has(method, path) && path !== openApiPath);
  const server = createServer(serverOptions, (incoming, outgoing) => {
    useHostInUrl(incoming);
    const { method = '', url = '', headers } = incoming;
    if (url === '/health') sendWhole(healthResponse, { incoming, outgoing });
    else if (!isLocalHost(headers.host) && !isOneOf([name, ...allowedHosts], headers.host)) {
      const response = headers.host === undefined ? missingHostResponse : unknownHostResponse;
      sendWhole(response, { incoming, outgoing });
    } else if (isForThisMachine(method, url.split('?', 1)[0]) && !isLocalPeer(incoming))
      sendWhole(otherMachineResponse, { incoming, outgoing });
    else if (pages.has(method, url)) pages.handle(incoming, outgoing);
    else (others.find(url) ?? first).listener(incoming, outgoing);
  });
  // A client that closes its side after sending, like `nc -N`, still gets its response. Node's types don't have this
  // option.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('checkExpectation', (incoming, outgoing) =>
    sendWhole(unsupportedExpectationResponse, { incoming, outgoing }),
  );
  server.on('connect', (_, socket) => refuseTunnel(socket));
  server.on('clientError', respondToClientError);
  await bind(server, options.port, host);
  const { port } = server.address() as AddressInfo;
  return {
    first,
    baseUrl: `http://${isIP(name) === 6 ? `[${name}]` : name}:${port}`,
    close: () => close(server, stopping).finally(() => others.close()),
  };
}

const healthResponse = jsonResponse(200, { status: 'ok' });
const unknownHostResponse = jsonResponse(421, {
  message: 'The sandbox only accepts the hosts 127.0.0.1 and localhost, and those of --allow-host.',
});
const otherMachineResponse = jsonResponse(403, {
  message: 'The pages and the sign-in of a sandbox are only for its own machine.',
});
const missingHostResponse = jsonResponse(400, { message: 'The request has no host.' });
const unsupportedExpectationResponse = jsonResponse(417, {
  message: 'Only Expect: 100-continue is supported.',
});

function bind(server: Server, port: number, host: string): Promise<void> {
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
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return usage(`This machine has no address for --host: ${error.message}.`);
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
    // Each connection becomes idle when its requests end.
    const closeIdleTimer = setInterval(() => server.closeIdleConnections(), 20);
    const closeAllTimer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(closeIdleTimer);
      clearTimeout(closeAllTimer);
      resolve();
    });
  });
}

/** The accepted hosts, with an optional port: the names of this machine. */
const localHostPattern = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/**
 * Returns whether the host header names this machine. A website can point its domain to 127.0.0.1 and make the browser
 * send requests to the sandbox (DNS rebinding); the header then has that domain.
 */
export function isLocalHost(host: string | undefined): boolean {
  return host !== undefined && localHostPattern.test(host);
}

/** Returns whether the host header, without its port, is one of these names. */
function isOneOf(names: readonly string[], host = ''): boolean {
  const name = host.replace(/:\d{1,5}$/, '').replace(/^\[(.*)\]$/, '$1');
  return names.some((allowed) => allowed.toLowerCase() === name.toLowerCase());
}

/** Returns whether a request comes from this machine: the client secret of the sign-in and its pages protect nothing. */
function isLocalPeer({ socket: { remoteAddress = '' } }: IncomingMessage): boolean {
  return /^(::1$|(::ffff:)?127\.)/.test(remoteAddress);
}

/** The responses to invalid requests, by Node's error code. */
const responsesByCode: Readonly<Record<string, ServiceResponse>> = {
  HPE_HEADER_OVERFLOW: jsonResponse(431, { message: 'The request is too long.' }),
  ERR_HTTP_REQUEST_TIMEOUT: jsonResponse(408, { message: 'The request took too long.' }),
};

const notHttpResponse = jsonResponse(400, { message: 'The request is not HTTP.' });

function respondToClientError({ code = '' }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET') socket.destroy();
  else endSocketWith(responsesByCode[code] ?? notHttpResponse, socket);
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

const openApiPath = '/openapi.json';

interface Pages {
  /** Returns whether a request is for one of the pages; `target` is its path with the query. */
  has(method: string, target: string): boolean;
  handle: RequestListener;
}

function createPages(sandbox: Sandbox, log: RequestLog, options: ServingOptions): Pages {
  const app = new Hono<{ Bindings: { incoming: { destroyed: boolean; complete: boolean } } }>();
  app.route('/', inspectorRoutes(sandbox, log, options));
  app.route('/', authorizeRoutes(sandbox, options));
  app.get(openApiPath, (context) => context.json(options.createOpenApi(new URL(context.req.url).origin)));
  app.onError((error, { env: { incoming } }) => {
    // The client disconnected in the middle of the request.
    if (incoming.destroyed && !incoming.complete) return RESPONSE_ALREADY_SENT;
    const { status, headers, body } = errorResponse(error, options);
    return new Response(body, { status, headers });
  });
  const routes = new Set(app.routes.map(({ method, path }) => `${method} ${path}`));
  return {
    has: (method, target) => routes.has(`${method === 'HEAD' ? 'GET' : method} ${target.split('?', 1)[0]}`),
    handle: getRequestListener(app.fetch),
  };
}
