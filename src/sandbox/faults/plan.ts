/** Defines a fault plan: which requests fail in which way. docs/guides/serve-a-sandbox.md describes the file. */

/** A fault plan. */
export interface FaultPlan {
  /** The same seed gives the same choices. */
  seed: number;
  rules: readonly FaultRule[];
}

/** A fault, and the requests that get it. */
export type FaultRule = Selection & Fault;

/** The requests that a rule applies to. */
export interface Selection {
  /** Method and path, such as `POST /customers` or `* /inventory_items/**`. */
  route: string;
  /** The share of matching requests that get the fault, from 0 to 1. */
  probability: number;
  /** Only these of the requests that match the route, counted from 1. */
  nth?: readonly number[] | undefined;
}

/** What goes wrong. */
export type Fault =
  /** A delay in milliseconds; two numbers are the bounds of a random one. */
  | { fault: 'latency'; milliseconds: number | readonly [number, number] }
  /** A limit per minute for each token; requests above it are refused with 429. */
  | { fault: 'rate_limit'; per_minute: number }
  /** A response with this status. `retry_after` is sent as it is; null sends none. */
  | {
      fault: 'status';
      status: number;
      retry_after?: string | number | null | undefined;
      after_commit: boolean;
    }
  /** The connection breaks without a response. */
  | { fault: 'reset'; after_commit: boolean }
  /** The response breaks off in the middle. */
  | { fault: 'half_body' }
  /** A page such as a proxy sends, instead of JSON. */
  | { fault: 'html'; status: number; after_commit: boolean };
