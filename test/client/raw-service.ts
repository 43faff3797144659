/** A service on this machine that responds to each request with any bytes. */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { networkTransport } from '../../src/account/client/network.ts';

/** Responds to a request. `request` contains the headers and the body; `count` is the number of the request from 1. */
export type Respond = (socket: Socket, request: string, count: number) => void;

export interface RawService {
  port: number;
  /** Complete requests in the order of their arrival. */
  requests: string[];
  /** The number of opened connections, with or without a request. */
  connections: number;
  close(): Promise<void>;
}

/** Starts a service, with TLS if the server is a TLS server. It is stopped at the end of the test. */
export async function startRawService(
  respond: Respond,
  server: Server | TlsServer = createServer(),
): Promise<RawService> {
  const open = new Set<Socket>();
  const service: RawService = {
    port: 0,
    requests: [],
    connections: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
  server.on('connection', (socket: Socket) => {
    service.connections++;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
  });
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const length = requestLength(received);
      if (length === undefined) return;
      service.requests.push(received.slice(0, length));
      received = received.slice(length);
      respond(socket, service.requests.at(-1) ?? '', service.requests.length);
    });
  });
  onTestFinished(service.close);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  service.port = (server.address() as AddressInfo).port;
  return service;
}

/** Returns a transport to the service. */
export function transportTo({ port }: RawService, { path = '', timeoutMs = 600_000 } = {}) {
  return networkTransport({ baseUrl: `http://127.0.0.1:${port}${path}`, timeoutMs, env: {} });
}

/** Returns a complete response with JSON, after which the connection stays open. */
export function jsonResponse(value: unknown, status = '200 OK', headers = ''): string {
  const body = JSON.stringify(value);
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Returns the length of the first request; undefined if it is incomplete. */
function requestLength(received: string): number | undefined {
  const head = received.indexOf('\r\n\r\n');
  if (head === -1) return undefined;
  const length = head + 4 + Number(/content-length: (\d+)/i.exec(received.slice(0, head))?.[1] ?? 0);
  return received.length >= length ? length : undefined;
}
