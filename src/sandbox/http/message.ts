/** Defines a request to the sandbox and its response, over HTTP or within the same process. */

import type { Variant } from '../variant.ts';

/** A request to the sandbox. */
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
