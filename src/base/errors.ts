/** The categories of failures with their exit codes. */

import { formatHint, type Hint } from './hint.ts';

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
  // The same code as `partial`: something was done, so repeating the command could do it twice.
  unreported: 9,
  differences: 10,
  interrupted: 130,
} as const;

/** The category of a failure, which decides the exit code. */
export type Category = keyof typeof exitCodes;

/**
 * Messages by field name, as the API spells it; `_` has the messages without a field. Objects for external names have no
 * prototype, so that `__proto__` is an ordinary key.
 */
export type FieldMessages = Record<string, string[]>;

/** The outcome of a failed write. `unknown`: it may have been applied, so it must not be repeated without a check. */
export type WriteStatus = 'not_sent' | 'unknown' | 'done';

/** The details of a failure, in addition to its category and message. */
export interface FailureDetails {
  /** What to do next. */
  hint?: Hint | undefined;
  /** What else helps to check a write of unknown outcome. */
  check?: Hint | undefined;
  /** The HTTP status, if the service responded. */
  status?: number;
  fields?: FieldMessages;
  /** The request that failed; never its headers or body. */
  request?: { method: string; path: string };
  /** Whether a write was applied. Undefined if the command writes nothing. */
  outcome?: WriteStatus;
  /**
   * Set for a write of unknown outcome if the service returned a success without the record. The write may still be
   * applied, so it must not be repeated even if its record can't be found yet. `id` is the ID in that response, if it
   * belongs to another record.
   */
  unexpectedResponse?: { id?: string | undefined };
  /** The seconds after which a retry is allowed, if the service sent them. */
  retryAfterSeconds?: number;
  /** The records that failed in a run over several, with their reasons. */
  failures?: readonly { id: string; category: Category; message: string }[];
  /** The lookup that matched no record or several. `hasSimilar`: the user can choose one of the similar records. */
  lookup?: { text: string; hasSimilar: boolean };
  /** Set to stop a run over several records: the next records would fail in the same way, or must not be sent. */
  stopsRun?: true;
  /** Whether a list could not be read completely, because it kept changing. The records that were read are valid. */
  isIncomplete?: boolean;
  /** Overrides the category's exit code; only signals need it (SIGTERM is 143). */
  exitCode?: number;
  cause?: unknown;
}

/** An expected failure. Everything else that is thrown is a bug, and is reported as `internal`. */
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

/**
 * A failure as JSON. The first seven keys are always present, null if they don't apply; the others are present only if
 * they apply.
 */
export interface FailureRecord {
  category: Category;
  exit_code: number;
  /** HTTP status. */
  status: number | null;
  message: string;
  fields: FieldMessages | null;
  request: { method: string; path: string } | null;
  hint: string | null;
  outcome?: WriteStatus;
  /** In seconds. */
  retry_after?: number;
  failures?: readonly { id: string; category: Category; message: string }[];
}

export function failureRecord({ category, exitCode, message, details }: Failure): FailureRecord {
  const { status = null, fields = null, request, hint, outcome, retryAfterSeconds, failures } = details;
  return {
    category,
    exit_code: exitCode,
    status,
    message,
    fields,
    request: request === undefined ? null : { method: request.method, path: request.path },
    hint: hint === undefined ? null : formatHint(hint),
    ...(outcome !== undefined && { outcome }),
    ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
    ...(failures !== undefined && { failures }),
  };
}

/** Returns a failure for an invalid command line or input. Nothing was sent. */
export function usage(message: string, details: FailureDetails = {}): Failure {
  return new Failure('usage', message, details);
}

/** The message of a required field without a value. Failures list such fields in one line. */
export const missingValue = 'is required';

/**
 * Returns one usage failure with all violations, so that users can fix them together. `subject` is what is invalid:
 * `input for tags create`.
 */
export function violations(subject: string, fields: FieldMessages, hint?: Hint): Failure {
  const message = `Invalid ${subject}; nothing was sent.`;
  return usage(message, hint === undefined ? { fields } : { fields, hint });
}
