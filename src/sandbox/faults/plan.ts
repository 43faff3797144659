/** A plan of faults: what goes wrong with which requests. docs/guides/serve-a-sandbox.md describes the file in words. */

export interface FaultPlan {
  /** The same seed makes the same choices. */
  seed: number;
  rules: readonly FaultRule[];
}

export type FaultRule = Chance & Fault;

/** Which of the requests that come a rule is for. */
export interface Chance {
  /** Method and path, such as `POST /customers` or `* /inventory_items/**`. */
  route: string;
  /** From 0 to 1. */
  probability: number;
  /** Only these of the requests that match the route, counted from 1. */
  nth?: readonly number[] | undefined;
}

export type Fault =
  /** Waits before anything else happens; two numbers are the bounds of a random wait. In milliseconds. */
  | { fault: 'latency'; milliseconds: number | readonly [number, number] }
  /** So many requests a minute for each token; those above are refused with 429. */
  | { fault: 'rate_limit'; per_minute: number }
  /** An answer with this status. `retry_after` is sent as it stands; null sends none. */
  | {
      fault: 'status';
      status: number;
      retry_after?: string | number | null | undefined;
      after_commit: boolean;
    }
  /** The connection breaks without an answer. */
  | { fault: 'reset'; after_commit: boolean }
  /** The answer breaks off in its middle. */
  | { fault: 'half_body' }
  /** A page such as a proxy sends, where JSON is expected. */
  | { fault: 'html'; status: number; after_commit: boolean };
