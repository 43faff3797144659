/** HTTP servers that nobody but this machine can reach; for "localhost" one on IPv4 and one on IPv6. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { usage } from '../base/errors.ts';

export interface LoopbackServers {
  port: number;
  /** Ends every connection too. */
  close(): Promise<void>;
}

/** `hostname` as `URL` spells it; port 0 takes a free one. Throws a usage failure where the port is taken. */
export async function listenOnLoopback(
  hostname: string,
  port: number,
  serve: RequestListener,
): Promise<LoopbackServers> {
  const hosts = hostname === 'localhost' ? ['127.0.0.1', '::1'] : [hostname.replace(/^\[|\]$/g, '')];
  for (let attempt = 1; ; attempt++) {
    const servers: Server[] = [];
    const close = async (): Promise<void> => {
      await Promise.all(servers.map(closeServer));
    };
    try {
      for (const host of hosts) {
        const server = await listen(host, servers[0] === undefined ? port : portOf(servers[0]), serve);
        if (server !== undefined) servers.push(server);
      }
      if (servers[0] === undefined) throw usage(`This machine has no network address ${hostname}.`);
      return { port: portOf(servers[0]), close };
    } catch (error) {
      await close();
      // A port that is free on IPv4 may be taken on IPv6; another one will be free on both.
      if (port !== 0 || attempt === attempts) throw asFailure(error, port);
    }
  }
}

const attempts = 5;

/** Undefined where the machine lacks the address, as one without IPv6 does. */
function listen(host: string, port: number, serve: RequestListener): Promise<Server | undefined> {
  const server = createServer(serve);
  const { promise, resolve, reject } = Promise.withResolvers<Server | undefined>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT') resolve(undefined);
    else reject(error);
  });
  server.listen({ host, port }, () => resolve(server));
  return promise;
}

function closeServer(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  return promise;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function asFailure(error: unknown, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return usage(
      `Port ${port} of this machine is taken by another program, so the browser can’t come back to boh.`,
      {
        hint: 'End that program, or sign in with --no-browser; with --port 0 where the service allows any port.',
      },
    );
  }
  if (code === 'EACCES') {
    return usage(`You have no permission to listen on port ${port} of this machine.`, {
      hint: 'Sign in with --no-browser, or register a redirect address with a port above 1023.',
    });
  }
  return error;
}
