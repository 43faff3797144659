/** The connections to one service: one at a time, kept alive as long as the service keeps it. */
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { buildConnector, Client, type Dispatcher } from 'undici';

/** The limits of a connection. */
export interface ConnectionLimits {
  connectMs: number;
  /** In bytes. */
  longestAnswer: number;
}

/** The connection to a service, opened again where it was closed. */
export interface Connections {
  dispatcher: Dispatcher;
  /** Whether each request has to ask for the connection to be closed: the service closes it in any case, unsaid. */
  readonly mustClose: boolean;
  /** Before a write: lets a service that has closed the connection behind its last answer be heard. */
  awaitClose(): Promise<void>;
  /** A request is about to go out. */
  onSend(): void;
  /** Its answer is whole; `isLast` where it said that the connection ends with it. */
  onAnswer(isLast: boolean): void;
  /** Ends them all, also those that are only being made and would keep the process from ending. */
  cut(): void;
}

/** A service that keeps a connection open for this number of answers doesn't close it after each one. */
const trusted = 3;

/** The end of a connection arrives right behind the answer. */
const closeWaitMs = 10;

/** Dispatchers of another kind than a client of the service itself, such as one that goes through a proxy. */
export type OpenDispatcher = (options: ClientOptions, socket: buildConnector.BuildOptions) => Dispatcher;
type ClientOptions = Client.Options;

/** Returns the connection to a service, which opens with the first request. */
export function openConnections(
  origin: string,
  { connectMs, longestAnswer }: ConnectionLimits,
  open?: OpenDispatcher,
): Connections {
  const life = new AbortController();
  let answers = 0;
  let isIdle = true;
  let isLast = false;
  let mustClose = false;
  const head: Head = { isDue: false };
  // One protocol to reason about; HTTP/2 would also be slower to load, and the release leaves it out.
  const allowH2 = false;
  // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment can't switch it off.
  const socket = { rejectUnauthorized: true, allowH2, timeout: connectMs };
  const options = {
    allowH2,
    maxResponseSize: longestAnswer,
    // The whole exchange is bounded already.
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
    const isTheirs = 'code' in error && error.code === 'UND_ERR_SOCKET';
    if (isTheirs && answers > 0 && !isLast && (isIdle || head.isDue)) mustClose = true;
  });

  return {
    dispatcher,
    get mustClose() {
      return mustClose;
    },
    async awaitClose() {
      if (answers > 0 && answers < trusted) await wait(closeWaitMs);
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
 * One client is one connection: services that take 90 requests a minute need no more. It is cut here, as Node would
 * watch all that becomes of a socket for a signal among its options.
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

/** It answers the socket that is being connected, which undici's types leave out. */
type Dial = (...args: Parameters<buildConnector.connector>) => Socket;

interface Head {
  /** Whether what comes next begins an answer. */
  isDue: boolean;
}

/** Any interim answer but 101, which would change the protocol. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const endOfHead = Buffer.from('\r\n\r\n');

/** "100 Continue" says nothing, asked for or not (RFC 9110, 15.2); undici takes it for the end of the connection. */
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
