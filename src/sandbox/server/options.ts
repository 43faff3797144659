/** How a sandbox is served. */
export interface ServingOptions {
  apiPrefix: string;
  /** Whether authorizations are approved without asking. */
  isApproving: boolean;
  /** Whether only what the document describes is accepted, without what other OAuth clients need. */
  isStrict?: boolean;
  /** Returns the OpenAPI document for a base URL. */
  describe(baseUrl: string): object;
  /** How long a request waits for another process that has locked the sandbox, in milliseconds. */
  busyTimeout?: number | undefined;
  /** Aborted when the server stops. */
  stopping: AbortSignal;
  /** Called with unexpected errors. */
  onBug(error: unknown): void;
}
