/** In place of src/client/connections.ts: requests go to the scheduler, and their answers come from it. */
import type { Connections } from '../../../src/client/connections.ts';
import type { Order, SentRequest } from './baton.ts';

/** A request that undici would send. */
interface Handler {
  onRequestStart(controller: { abort(reason: Error): void }): void;
  onResponseStart(controller: unknown, status: number, headers: Record<string, string>): void;
  onResponseData(controller: unknown, chunk: Buffer): void;
  onResponseEnd(controller: unknown, trailers: object): void;
  onResponseError(controller: unknown, error: Error): void;
}

interface UnderWay {
  handler: Handler;
  controller: { abort(reason: Error): void };
}

const underWay = new Map<number, UnderWay>();
let begun: SentRequest[] = [];
let abandoned: number[] = [];
let last = 0;

/** Returns the requests begun and abandoned since the last call. */
export function takeTraffic(): { requests: SentRequest[]; abandoned: number[] } {
  const traffic = { requests: begun, abandoned };
  [begun, abandoned] = [[], []];
  return traffic;
}

/** Drops all requests of a process that has ended. */
export function dropTraffic(): void {
  underWay.clear();
  takeTraffic();
  last = 0;
}

/** Carries out the decision of the scheduler about a request. */
export function carry(
  order: Extract<Order, { leave: number } | { answer: number } | { breakOff: number }>,
): void {
  if ('leave' in order) {
    const request = underWay.get(order.leave);
    request?.handler.onRequestStart(request.controller);
    return;
  }
  const id = 'answer' in order ? order.answer : order.breakOff;
  const request = underWay.get(id);
  if (!request) return;
  underWay.delete(id);
  const { handler, controller } = request;
  if ('breakOff' in order) {
    handler.onResponseError(controller, broken(order.code));
    return;
  }
  handler.onResponseStart(controller, order.status, order.headers);
  const bytes = Buffer.from(order.body);
  if (order.cutAt === undefined) {
    handler.onResponseData(controller, bytes);
    handler.onResponseEnd(controller, {});
  } else {
    handler.onResponseData(controller, bytes.subarray(0, order.cutAt));
    handler.onResponseError(controller, broken('UND_ERR_SOCKET'));
  }
}

function broken(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Same signature as in src/client/connections.ts. */
export function openConnections(): Connections {
  const dispatch = (
    options: { path: string; method: string; headers: Record<string, string>; body: string | null },
    handler: Handler,
  ) => {
    last += 1;
    const id = last;
    const controller = {
      abort() {
        if (underWay.delete(id)) abandoned.push(id);
      },
    };
    underWay.set(id, { handler, controller });
    const { path: target, method, headers, body } = options;
    begun.push({ id, method, target, headers, body: body ?? '' });
    return true;
  };
  return {
    dispatcher: { dispatch } as unknown as Connections['dispatcher'],
    mustClose: false,
    awaitClose: async () => {},
    onSend() {},
    onAnswer() {},
    cut() {},
  };
}
