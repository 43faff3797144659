/** Options of a served sandbox. */
export interface ServingOptions {
  apiPrefix: string;
  /** Whether authorization requests are approved without showing the consent page. */
  isApproving: boolean;
  /** Whether only OAuth requests in the document's form are accepted. */
  isStrict?: boolean;
  /** Returns the OpenAPI document for a base URL. */
  describe(baseUrl: string): object;
  /** The maximum time to wait for another process that has locked the sandbox, in milliseconds. */
  busyTimeout?: number | undefined;
  /** Aborted when the server stops. */
  stopping: AbortSignal;
  /** Called with unexpected errors. */
  onBug(error: unknown): void;
}
