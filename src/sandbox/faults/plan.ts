/** Defines a fault plan: which requests fail in which way. docs/guides/serve-a-sandbox.md describes the file. */

export interface FaultPlan {
  /** The seed of random decisions: the same seed gives the same decisions. */
  seed: number;
  rules: readonly FaultRule[];
}

/** A fault, and the requests that it applies to. */
export type FaultRule = RequestSelection & Fault;

/** The requests that a rule applies to. */
export interface RequestSelection {
  /** Method and path, such as `POST /customers` or `* /inventory_items/**`. */
  route: string;
  /** The share of matching requests that get the fault, from 0 to 1. */
  probability: number;
  /** The numbers of the matching requests that get the fault, counted from 1; all if omitted. */
  nth?: readonly number[] | undefined;
}

export type Fault =
  /** A delay in milliseconds; two numbers are the bounds of a random delay. */
  | { fault: 'latency'; milliseconds: number | readonly [number, number] }
  /** A limit per minute for each token; requests above it are refused with 429. */
  | { fault: 'rate_limit'; per_minute: number }
  /** A response with this status. `retry_after` is sent unchanged as the Retry-After header; null sends no header. */
  | {
      fault: 'status';
      status: number;
      retry_after?: string | number | null | undefined;
      after_commit: boolean;
    }
  /** The connection is closed without a response. */
  | { fault: 'reset'; after_commit: boolean }
  /** The connection is closed in the middle of the response. */
  | { fault: 'half_body' }
  /** An HTML page instead of JSON, like the error page of a proxy. */
  | { fault: 'html'; status: number; after_commit: boolean };
