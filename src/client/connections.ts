/** Keeps one connection to a service open as long as the service allows. */
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { buildConnector, Client, type Dispatcher } from 'undici';

/** The limits of a connection. */
export interface ConnectionLimits {
  connectMs: number;
  /** The maximum size of an answer, in bytes. */
  maxAnswerBytes: number;
}

/** The connection to a service. It is opened again after it was closed. */
export interface Connections {
  dispatcher: Dispatcher;
  /** Whether requests must ask the service to close the connection, because it closes connections without notice. */
  readonly mustClose: boolean;
  /**
   * Call it before a write: waits until a connection that the service closed after its last answer is known to be
   * closed.
   */
  awaitClose(): Promise<void>;
  /** Call it when a request is about to be sent. */
  onSend(): void;
  /** Call it when an answer is complete. `isLast`: the answer said that the connection ends with it. */
  onAnswer(isLast: boolean): void;
  /** Ends all connections, including those being opened, which would keep the process alive. */
  cut(): void;
}

/** After this many answers on one connection, the service is trusted not to close it after each answer. */
const minTrustedAnswers = 3;

/** How long to wait for the close of a connection, in ms: it follows the answer immediately. */
const closeWaitMs = 10;

/** Opens a dispatcher other than a direct connection to the service, such as one through a proxy. */
export type OpenDispatcher = (options: ClientOptions, socket: buildConnector.BuildOptions) => Dispatcher;
type ClientOptions = Client.Options;

/** Returns the connection to a service. It opens with the first request. */
export function openConnections(
  origin: string,
  { connectMs, maxAnswerBytes }: ConnectionLimits,
  open?: OpenDispatcher,
): Connections {
  const life = new AbortController();
  let answers = 0;
  let isIdle = true;
  let isLast = false;
  let mustClose = false;
  const head: Head = { isDue: false };
  // Only HTTP/1.1 is used. HTTP/2 would load more slowly, and the release doesn't contain it.
  const allowH2 = false;
  // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment can't switch it off.
  const socket = { rejectUnauthorized: true, allowH2, timeout: connectMs };
  const options = {
    allowH2,
    maxResponseSize: maxAnswerBytes,
    // The time of the whole exchange is limited elsewhere.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatcher = open
    ? open(options, { ...socket, signal: life.signal })
    : new Client(origin, { ...options, connect: connectorOf(socket, head, life.signal) });
  dispatcher.on('connect', () => {
    answers = 0;
  });
  dispatcher.on('disconnect', (_origin, _targets, error) => {
    const isClosedByService = 'code' in error && error.code === 'UND_ERR_SOCKET';
    if (isClosedByService && answers > 0 && !isLast && (isIdle || head.isDue)) mustClose = true;
  });

  return {
    dispatcher,
    get mustClose() {
      return mustClose;
    },
    async awaitClose() {
      if (answers > 0 && answers < minTrustedAnswers) await wait(closeWaitMs);
    },
    onSend() {
      head.isDue = true;
      isIdle = false;
    },
    onAnswer(last) {
      answers++;
      isLast = last;
      isIdle = true;
      head.isDue = false;
    },
    cut: () => life.abort(),
  };
}

/**
 * Each client has one connection, which is enough for services that allow 90 requests a minute. The socket is destroyed
 * here instead of by a signal in its options, because Node would then watch the socket during each request.
 */
function connectorOf(
  options: buildConnector.BuildOptions,
  head: Head,
  life: AbortSignal,
): buildConnector.connector {
  const dial = buildConnector(options) as Dial;
  return (target, done) => {
    const socket = dial(target, (...[error, opened]) => {
      if (opened) skipInterim(opened, head);
      done(...([error, opened] as Parameters<typeof done>));
    });
    life.onabort = () => socket.destroy(life.reason);
  };
}

/** Opens a socket. It also returns the socket being opened, which undici's types leave out. */
type Dial = (...args: Parameters<buildConnector.connector>) => Socket;

interface Head {
  /** Whether the next bytes begin an answer. */
  isDue: boolean;
}

/** Matches any interim answer except 101, which would change the protocol. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const endOfHead = Buffer.from('\r\n\r\n');

/**
 * Skips interim answers: undici takes "100 Continue" for the end of the connection. A service may send one unasked
 * (RFC 9110, 15.2).
 */
function skipInterim(socket: Socket, head: Head): void {
  const read = socket.read.bind(socket);
  const next = (size?: number): Buffer | null => {
    const chunk = read(size) as Buffer | null;
    if (!head.isDue || chunk === null) return chunk;
    if (!interim.test(chunk.toString('latin1', 0, 12))) {
      head.isDue = false;
      return chunk;
    }
    const end = chunk.indexOf(endOfHead);
    if (end === -1) return chunk;
    const rest = chunk.subarray(end + endOfHead.length);
    if (rest.length > 0) socket.unshift(rest);
    return next(size);
  };
  socket.read = next;
}
