/** The closed list of ways a run can fail, and the exit code that scripts see for each. */

/** Exit codes are a promise to scripts: a category may be added, a number never changes. */
export const exitCodes = {
  internal: 1,
  usage: 2,
  not_signed_in: 3,
  not_allowed: 4,
  not_found: 5,
  refused: 6,
  rate_limited: 7,
  unavailable: 8,
  partial: 9,
  differences: 10,
  interrupted: 130,
} as const;

export type Category = keyof typeof exitCodes;

/** Messages by field name, in the API's own spelling; `_` holds those that belong to no field. */
export type FieldMessages = Record<string, string[]>;

export interface FailureDetails {
  /** What to do next: a whole sentence or a command line. */
  hint?: string;
  /** HTTP status, where the service answered. */
  status?: number;
  /** All violations at once, by field. */
  fields?: FieldMessages;
  /** The request that failed; never its headers or body. */
  request?: { method: string; path: string };
  /** Overrides the category's exit code; only signals need it (SIGTERM is 143). */
  exitCode?: number;
  cause?: unknown;
}

/** Any failure that boh designed: everything else that is thrown is a bug, and shown as `internal`. */
export class Failure extends Error {
  readonly category: Category;
  readonly details: FailureDetails;

  constructor(category: Category, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'Failure';
    this.category = category;
    this.details = details;
  }

  get exitCode(): number {
    return this.details.exitCode ?? exitCodes[this.category];
  }
}

/** A command line or an input that can't be used: nothing was sent. */
export function usage(message: string, details: FailureDetails = {}): Failure {
  return new Failure('usage', message, details);
}

/** One usage failure for every violation found, so that the person mends them all in one go. */
export function violations(what: string, fields: FieldMessages, hint?: string): Failure {
  const count = Object.values(fields).reduce((sum, messages) => sum + messages.length, 0);
  const message =
    count === 1
      ? `${what} has a problem; nothing was sent.`
      : `${what} has ${count} problems; nothing was sent.`;
  return usage(message, hint === undefined ? { fields } : { fields, hint });
}
