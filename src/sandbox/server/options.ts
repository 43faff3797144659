/** The options of a served sandbox. */
export interface ServingOptions {
  apiPrefix: string;
  /** Whether authorization requests are approved without showing the consent page. */
  isAutoApproved: boolean;
  /** Whether only OAuth requests in the format of the API document are accepted. */
  isStrict?: boolean;
  /** The registered redirect URI. Without one, every local URL is allowed. */
  redirectUri?: string | undefined;
  createOpenApi(baseUrl: string): object;
  /** The maximum time to wait for another process that has locked the sandbox, in milliseconds. */
  busyTimeoutMs?: number | undefined;
  /** A signal that is aborted when the server stops. */
  stopping: AbortSignal;
  /** A function that is called with unexpected errors. */
  onUnexpectedError(error: unknown): void;
}
