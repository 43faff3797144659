/** How a sandbox is served. */
export interface ServingOptions {
  apiPrefix: string;
  /** Approve without asking. */
  isApproving: boolean;
  /** The document alone, without what other people's OAuth clients need. */
  isStrict?: boolean;
  /** The OpenAPI document of the service at an address. */
  describe(baseUrl: string): object;
  /** How long a request waits for another process that keeps the sandbox, in milliseconds. */
  busyTimeout?: number | undefined;
  /** Aborted when the server stops: nothing may go on by itself then. */
  stopping: AbortSignal;
  /** Told of what nobody designed. */
  onBug(error: unknown): void;
}
