/**
 * The types of `boh/testing`. The build copies this file into the package, so it imports nothing. They follow semantic
 * versioning: within a major version, options and methods are only added.
 */

export interface StartOptions {
  /** The first records: the demo business, or only what every account has. */
  from?: 'demo' | 'empty';
  /** Imitates this kind of service, such as `foodics-v5`; by default the API document. */
  like?: string;
  /** Manifests to apply, as YAML or JSON text or as values. */
  apply?: readonly Manifest[];
  /** The time at which the clock is stopped, such as `2030-01-01 12:00:00`; by default it follows the machine. */
  clock?: string;
  /** The seed of IDs; by default 1. The same requests get the same IDs in every run. */
  randomSeed?: number;
  /** Settings, as `boh sandbox settings --help` lists them, such as `{ 'wire.requests': 'strict' }`. */
  settings?: Readonly<Record<string, string | number>>;
  /** Also serves the sandbox on this port of 127.0.0.1; 0 chooses a free one. By default it has no port. */
  port?: number;
}

/** The text of a manifest, or its value: `{ tags: [{ name: 'VIP', type: 'customer' }] }`. */
export type Manifest = string | Readonly<Record<string, unknown>>;

/** A request that the sandbox received, without secrets. */
export interface ReceivedRequest {
  /** The time in UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
  method: string;
  target: string;
  status: number;
  milliseconds: number;
  /** The operation of the API, such as `customers create`; empty if it isn't one. */
  operation: string;
  fault: string;
  request: string;
  response: string;
}

/** Selects requests: `path` is without prefix and query; `*` is one part of it, `**` any number of parts. */
export interface RequestQuery {
  method?: string;
  path?: string;
  status?: number;
  /** Throws unless exactly this number of requests matches. */
  count?: number;
  /** How long to wait for the count, such as `2s`. */
  wait?: string;
}

/** The time of the sandbox. */
export interface ClockState {
  /** In UTC, `YYYY-MM-DD HH:MM:SS`. */
  now: string;
  is_frozen: boolean;
  ahead_seconds: number;
}

/** Sends requests of undici and of Node's `fetch` to the sandbox: `fetch(url, { dispatcher })`. */
export interface SandboxDispatcher {
  dispatch(options: object, handler: object): boolean;
  close(): Promise<void>;
  destroy(): Promise<void>;
}

export interface TestSandbox {
  /** The URL of the server, or `http://sandbox.localhost`, which only `fetch` and `dispatcher` reach. */
  readonly baseUrl: string;
  /** A token of the owner with all scopes. */
  readonly token: string;
  /** Sends a request to a path or URL, with the token unless it has another authorization. */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  readonly dispatcher: SandboxDispatcher;
  /** Replaces all data: `demo`, `empty` or a snapshot; by default the records of the start, without `apply`. */
  reset(from?: string): Promise<void>;
  /** Saves the state, or replaces the snapshot with this name. */
  snapshot(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  readonly clock: {
    state(): Promise<ClockState>;
    freeze(time?: string): Promise<ClockState>;
    unfreeze(): Promise<ClockState>;
    set(time: string): Promise<ClockState>;
    /** Moves it forward, for example by `26h`. */
    advance(duration: string): Promise<ClockState>;
  };
  readonly faults: {
    /** Replaces the fault plan, such as `{ rules: [{ route: 'GET /**', fault: 'status', status: 503 }] }`. */
    set(plan: object): Promise<void>;
    clear(): Promise<void>;
  };
  readonly requests: {
    list(query?: RequestQuery): Promise<ReceivedRequest[]>;
    clear(): Promise<void>;
  };
  settings(changes: Readonly<Record<string, string | number>>): Promise<void>;
  apply(...manifests: Manifest[]): Promise<void>;
  /** Returns all records of a resource, sorted by ID, without timestamps; deleted ones have `is_deleted`. */
  records(resource: string): Promise<Record<string, unknown>[]>;
  /** Returns the records of all resources by name, for golden files. */
  dump(): Promise<Record<string, Record<string, unknown>[]>>;
  stop(): Promise<void>;
}

export type StartSandbox = (options?: StartOptions) => Promise<TestSandbox>;
