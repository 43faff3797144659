/** What a request and its answer are, whoever carries them: the network, or the embedded sandbox. */

export interface HttpRequest {
  method: string;
  /** Path and query exactly as they go out, percent-encoded: `/v5/customers?filter[name]=x`. */
  target: string;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body?: string | undefined;
}

export interface HttpAnswer {
  status: number;
  /** Lower-case names; of a header that comes twice, the last. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Carries one request; throws a TransportError where no whole answer came back. */
export type Transport = (request: HttpRequest, signal?: AbortSignal) => Promise<HttpAnswer>;

/** No answer, or only a part of one. */
export class TransportError extends Error {
  /** Whether the service may have seen the request. False only where it surely never left. */
  readonly mayHaveArrived: boolean;
  readonly hint: string | undefined;

  constructor(message: string, details: { mayHaveArrived: boolean; hint?: string; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.name = 'TransportError';
    this.mayHaveArrived = details.mayHaveArrived;
    this.hint = details.hint;
  }
}
