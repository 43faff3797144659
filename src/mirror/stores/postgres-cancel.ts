/** Ends what a server is at work on for a connection, when the command is interrupted or its time is up. */
import { connect, isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { PostgresTarget } from '../target.ts';

/** What a server tells a connection of itself (https://www.postgresql.org/docs/current/protocol-flow.html: "Canceling Requests in Progress"). */
export interface Backend {
  processID: number | null;
  secretKey: number | null;
}

const sslRequest = words(80_877_103);
const cancelCode = 80_877_102;

/**
 * Asks the server to end the statement that it runs for the backend, which then fails. Nobody is told how that went: the
 * server itself answers nothing. It takes no password, as the backend's key stands for one.
 */
export function cancelStatement(
  { host, port, isLocal }: Pick<PostgresTarget, 'host' | 'port' | 'isLocal'>,
  { processID, secretKey }: Backend,
  trusted: Pick<ConnectionOptions, 'ca'>,
): void {
  if (processID === null || secretKey === null) return;
  const request = words(cancelCode, processID, secretKey);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  // Whoever waits for the statement is told of what became of that.
  socket.on('error', () => {});
  if (isLocal) {
    socket.end(request);
    return;
  }
  socket.write(sslRequest);
  socket.once('data', (answer) => void encrypted(socket, String(answer), host, trusted, request));
}

/** The certificate is held against the host's name, as that of the connection was. */
async function encrypted(
  socket: Socket,
  answer: string,
  host: string,
  { ca }: Pick<ConnectionOptions, 'ca'>,
  request: Buffer,
): Promise<void> {
  if (answer !== 'S') return void socket.destroy();
  const { connect: secure } = await import('node:tls');
  const named = isIP(host) === 0 ? { servername: host } : {};
  const stream = secure({ socket, host, ...named, ...(ca !== undefined && { ca }) }, () =>
    stream.end(request),
  );
  stream.on('error', () => {});
}

/** A message without a type: its length in bytes, and what it holds, in 32 bits each. */
function words(...values: readonly number[]): Buffer {
  const message = Buffer.alloc(4 * (values.length + 1));
  message.writeInt32BE(message.length, 0);
  for (const [at, value] of values.entries()) message.writeInt32BE(value, 4 * (at + 1));
  return message;
}
