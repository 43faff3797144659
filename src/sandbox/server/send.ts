/** Sends responses, whole or in part, and converts errors to responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../../base/errors.ts';
import { isBusy } from '../../storage/failures.ts';
import type { Delivery } from '../faults/deliver.ts';
import { HttpError } from '../http/http-error.ts';
import { jsonResponse, type ServiceResponse } from '../http/message.ts';
import type { ServingOptions } from './options.ts';

/** A request and its response in Node's HTTP server. */
export interface HttpExchange {
  incoming: IncomingMessage;
  outgoing: ServerResponse;
}

/** Sends a response, or the part of it that a fault determines. */
export function send({ response, sentPart }: Delivery, exchange: HttpExchange): void {
  if (sentPart === 'whole') sendWhole(response, exchange);
  else if (sentPart === 'none') exchange.incoming.socket.resetAndDestroy();
  else sendHalf(response, exchange);
}

/** Sends a whole response. HEAD gets the headers of a GET. Does nothing if the client has disconnected. */
export function sendWhole(
  { status, headers, body }: ServiceResponse,
  { incoming, outgoing }: HttpExchange,
): void {
  if (outgoing.destroyed) return;
  const length = status === noContentStatus ? undefined : { 'content-length': Buffer.byteLength(body) };
  outgoing.writeHead(status, { ...headers, ...length });
  outgoing.end(incoming.method === 'HEAD' ? undefined : body);
}

/** The status of responses without a body. */
const noContentStatus = 204;

/** Sends half of a response and disconnects. A response without a body gets a content-length, so that it is incomplete. */
function sendHalf({ status, headers, body }: ServiceResponse, { incoming, outgoing }: HttpExchange): void {
  const bytes = Buffer.from(body);
  outgoing.writeHead(status, { ...headers, 'content-length': Math.max(bytes.length, 64) });
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => incoming.socket.destroy());
}

/** Returns the response for an error. Reports unexpected errors to `onUnexpectedError`. */
export function errorResponse(
  error: unknown,
  { onUnexpectedError }: Pick<ServingOptions, 'onUnexpectedError'>,
): ServiceResponse {
  if (error instanceof HttpError) return error.response();
  if (error instanceof Failure) return failureResponse(error);
  onUnexpectedError(error);
  return jsonResponse(500, { message: 'Server Error.' });
}

/**
 * Returns the response for a failure. The header `x-boh-outcome` is the outcome of a write, if the failure has one:
 * `not_sent` means that no change was written.
 */
export function failureResponse(failure: Failure): ServiceResponse {
  const { outcome } = failure.details;
  return jsonResponse(
    503,
    { message: failure.message },
    {
      ...(isBusy(failure) && { 'retry-after': '1' }),
      ...(outcome !== undefined && { 'x-boh-outcome': outcome }),
    },
  );
}
