/** Replaces src/account/client/connections.ts: sends requests to the scheduler, which returns the responses. */
import type { Connections } from '../../../src/account/client/connections.ts';
import type { Order, SentRequest } from './baton.ts';

/** A request that undici would send. */
interface Handler {
  onRequestStart(controller: { abort(reason: Error): void }): void;
  onResponseStart(controller: unknown, status: number, headers: Record<string, string>): void;
  onResponseData(controller: unknown, chunk: Buffer): void;
  onResponseEnd(controller: unknown, trailers: object): void;
  onResponseError(controller: unknown, error: Error): void;
}

interface OpenRequest {
  handler: Handler;
  controller: { abort(reason: Error): void };
}

const openRequests = new Map<number, OpenRequest>();
let newRequests: SentRequest[] = [];
let abandonedIds: number[] = [];
let lastId = 0;

/** Returns the requests that were started or abandoned since the last call. */
export function takeTraffic(): { requests: SentRequest[]; abandoned: number[] } {
  const traffic = { requests: newRequests, abandoned: abandonedIds };
  [newRequests, abandonedIds] = [[], []];
  return traffic;
}

/** Drops all requests of a process that has ended. */
export function dropTraffic(): void {
  openRequests.clear();
  takeTraffic();
  lastId = 0;
}

/** Executes an order of the scheduler for a request: reports to undici's handler that it was sent, answered or failed. */
export function deliver(
  order: Extract<Order, { markSent: number } | { respondTo: number } | { failRequest: number }>,
): void {
  if ('markSent' in order) {
    const request = openRequests.get(order.markSent);
    request?.handler.onRequestStart(request.controller);
    return;
  }
  const id = 'respondTo' in order ? order.respondTo : order.failRequest;
  const request = openRequests.get(id);
  if (!request) return;
  openRequests.delete(id);
  const { handler, controller } = request;
  if ('failRequest' in order) {
    handler.onResponseError(controller, connectionError(order.code));
    return;
  }
  handler.onResponseStart(controller, order.status, order.headers);
  const bytes = Buffer.from(order.body);
  if (order.truncateAt === undefined) {
    handler.onResponseData(controller, bytes);
    handler.onResponseEnd(controller, {});
  } else {
    handler.onResponseData(controller, bytes.subarray(0, order.truncateAt));
    handler.onResponseError(controller, connectionError('UND_ERR_SOCKET'));
  }
}

function connectionError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Same signature as in src/account/client/connections.ts. */
export function openConnections(): Connections {
  const dispatch = (
    options: { path: string; method: string; headers: Record<string, string>; body: string | null },
    handler: Handler,
  ) => {
    lastId += 1;
    const id = lastId;
    const controller = {
      abort() {
        if (openRequests.delete(id)) abandonedIds.push(id);
      },
    };
    openRequests.set(id, { handler, controller });
    const { path: target, method, headers, body } = options;
    newRequests.push({ id, method, target, headers, body: body ?? '' });
    return true;
  };
  return {
    dispatcher: { dispatch } as unknown as Connections['dispatcher'],
    mustClose: false,
    awaitClose: async () => {},
    onSend() {},
    onResponse() {},
    abort() {},
  };
}
