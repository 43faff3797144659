/** A request to the sandbox and its response, over HTTP or within the same process. */

import type { Variant } from '../variant.ts';

/** A request. */
export interface ServiceRequest {
  method: string;
  /** The path and query exactly as sent: `/customers?filter[name]=x`. */
  target: string;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | string;
}

/** A response. */
export interface ServiceResponse {
  status: number;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Returns a response with a JSON body. */
export function jsonAnswer(
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

/** Returns a response without a body, as for deletes and restores. */
export function emptyAnswer({ variant }: { variant: Variant }): ServiceResponse {
  return { status: variant['wire.empty_status'], headers: {}, body: '' };
}
