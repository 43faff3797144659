/** Keeps one connection to a service open as long as the service allows. */
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { buildConnector, Client, type Dispatcher } from 'undici';

export interface ConnectionLimits {
  connectMs: number;
  /** The maximum size of a response, in bytes. */
  maxResponseBytes: number;
}

/** The connection to a service. It is opened again after it was closed. */
export interface Connections {
  dispatcher: Dispatcher;
  /** Whether requests must ask the service to close the connection, because it closes connections without notice. */
  readonly mustClose: boolean;
  /**
   * Waits before a write until the close of a connection has been detected, if the service closes connections after a
   * response.
   */
  awaitClose(): Promise<void>;
  /** Must be called when a request is about to be sent. */
  onSend(): void;
  /** Must be called when a response is complete. `isLast`: it announced the end of the connection. */
  onResponse(isLast: boolean): void;
  /** Ends all connections, including those being opened, which would keep the process alive. */
  abort(): void;
}

/** The number of responses on one connection after which the service is trusted not to close it after each response. */
const minTrustedResponses = 3;

/** How long to wait for the close of a connection, in ms: it follows the response immediately. */
const closeWaitMs = 10;

/** Opens a dispatcher other than a direct connection to the service, such as one through a proxy. */
export type OpenDispatcher = (options: ClientOptions, socket: buildConnector.BuildOptions) => Dispatcher;
type ClientOptions = Client.Options;

/** Returns the connection to a service. It opens with the first request. */
export function openConnections(
  origin: string,
  { connectMs, maxResponseBytes }: ConnectionLimits,
  open?: OpenDispatcher,
): Connections {
  const abortController = new AbortController();
  let responseCount = 0;
  let isIdle = true;
  let isLast = false;
  let mustClose = false;
  const responseHead: ResponseHead = { isExpected: false };
  // Only HTTP/1.1 is used. HTTP/2 would load more slowly, and the release doesn't contain it.
  const allowH2 = false;
  // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment can't switch it off.
  const socket = { rejectUnauthorized: true, allowH2, timeout: connectMs };
  const options = {
    allowH2,
    maxResponseSize: maxResponseBytes,
    // The time of the whole exchange is limited elsewhere.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatcher = open
    ? open(options, { ...socket, signal: abortController.signal })
    : new Client(origin, {
        ...options,
        connect: createConnector(socket, responseHead, abortController.signal),
      });
  dispatcher.on('connect', () => {
    responseCount = 0;
  });
  dispatcher.on('disconnect', (_origin, _targets, error) => {
    const isClosedByService = 'code' in error && error.code === 'UND_ERR_SOCKET';
    if (isClosedByService && responseCount > 0 && !isLast && (isIdle || responseHead.isExpected))
      mustClose = true;
  });

  return {
    dispatcher,
    get mustClose() {
      return mustClose;
    },
    async awaitClose() {
      if (responseCount > 0 && responseCount < minTrustedResponses) await wait(closeWaitMs);
    },
    onSend() {
      responseHead.isExpected = true;
      isIdle = false;
    },
    onResponse(isLastResponse) {
      responseCount++;
      isLast = isLastResponse;
      isIdle = true;
      responseHead.isExpected = false;
    },
    abort: () => abortController.abort(),
  };
}

/**
 * Each client has one connection, which is enough for services that allow 90 requests a minute. The socket is destroyed
 * here instead of by a signal in its options, because Node would then watch the socket during each request.
 */
function createConnector(
  options: buildConnector.BuildOptions,
  responseHead: ResponseHead,
  signal: AbortSignal,
): buildConnector.connector {
  const openSocket = buildConnector(options) as OpenSocket;
  return (target, onConnect) => {
    const socket = openSocket(target, (...[error, opened]) => {
      if (opened) skipInterimResponses(opened, responseHead);
      onConnect(...([error, opened] as Parameters<typeof onConnect>));
    });
    signal.onabort = () => socket.destroy(signal.reason);
  };
}

/** Opens a socket. It also returns the socket being opened, which undici's types omit. */
type OpenSocket = (...args: Parameters<buildConnector.connector>) => Socket;

interface ResponseHead {
  /** Whether the next bytes begin a response. */
  isExpected: boolean;
}

/** Matches any interim response except 101, which would change the protocol. */
const interimPattern = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const endOfHead = Buffer.from('\r\n\r\n');

/**
 * Skips interim responses: undici takes "100 Continue" for the end of the connection. A service may send one
 * without a request for it (RFC 9110, 15.2).
 */
function skipInterimResponses(socket: Socket, responseHead: ResponseHead): void {
  const read = socket.read.bind(socket);
  const next = (size?: number): Buffer | null => {
    const chunk = read(size) as Buffer | null;
    if (!responseHead.isExpected || chunk === null) return chunk;
    if (!interimPattern.test(chunk.toString('latin1', 0, 12))) {
      responseHead.isExpected = false;
      return chunk;
    }
    const end = chunk.indexOf(endOfHead);
    if (end === -1) return chunk;
    const remaining = chunk.subarray(end + endOfHead.length);
    if (remaining.length > 0) socket.unshift(remaining);
    return next(size);
  };
  socket.read = next;
}
