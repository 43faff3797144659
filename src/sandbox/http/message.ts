/** Defines a request to the sandbox and its response, over HTTP or within the same process. */

import type { FieldMessages } from '../../base/errors.ts';
import type { Variant } from '../business/settings.ts';

export interface ServiceRequest {
  method: string;
  /** The path and query exactly as sent: `/customers?filter[name]=x`. */
  target: string;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | string;
}

export interface ServiceResponse {
  status: number;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  };
}

/** Returns a response without a body, for deletes and restores. */
export function emptyResponse({ variant }: { variant: Variant }): ServiceResponse {
  return { status: variant['wire.empty_status'], headers: {}, body: '' };
}

/** An exception with the status, message and headers of an error response. */
export class HttpError extends Error {
  readonly status: number;
  readonly errors: FieldMessages | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    details: { errors?: FieldMessages; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.errors = details.errors;
    this.headers = details.headers ?? {};
  }

  response(): ServiceResponse {
    const body = this.errors ? { message: this.message, errors: this.errors } : { message: this.message };
    return jsonResponse(this.status, body, this.headers);
  }
}

/** Creates an error with status 400. */
export const badRequest = (message: string) => new HttpError(400, message);
/** Creates an error with status 401. */
export const unauthenticated = () => new HttpError(401, 'Unauthenticated.');
/** Creates an error with status 403. */
export const unauthorized = (reason: string) => new HttpError(403, `This action is unauthorized. ${reason}`);
/** Creates an error with status 404. */
export const notFound = () => new HttpError(404, 'Not found.');
/** Creates an error with status 413. */
export const tooLarge = (message: string) => new HttpError(413, message);
/** Creates an error with status 415. */
export const unsupported = (message: string) => new HttpError(415, message);
/** Creates an error with status 422 and messages by field. */
export const invalid = (errors: FieldMessages) =>
  new HttpError(422, 'The given data was invalid.', { errors });

/** Creates an error with status 405 and the allowed methods. */
export function methodNotAllowed(method: string, allowed: readonly string[]): HttpError {
  return new HttpError(405, `The ${method} method is not supported here. Supported: ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}
