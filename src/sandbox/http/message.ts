/** A request to the sandbox and its answer, whether they came over HTTP or from within the same process. */

import type { Variant } from '../variant.ts';

export interface ServiceRequest {
  method: string;
  /** Path and query exactly as they were sent: `/customers?filter[name]=x`. */
  target: string;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | string;
}

export interface ServiceResponse {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

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

/** Deletes and restores promise no body. */
export function emptyAnswer({ variant }: { variant: Variant }): ServiceResponse {
  return { status: variant['wire.empty_status'], headers: {}, body: '' };
}
