/** Determines the outcome of a failed write: whether it may have been applied, and how to check that. */

import { changedAfterFilter } from '../../api/contract/filter.ts';
import { flagName } from '../../api/contract/value-text.ts';
import { type Category, Failure, type WriteStatus } from '../../base/errors.ts';
import { boh, type CommandLine, joinHints, quoteForShell } from '../../base/hint.ts';
import { shortenValue } from '../../base/short-value.ts';
import type { Call } from '../client/request.ts';
import { TransportError } from '../client/transport.ts';

/**
 * Returns the failure with the outcome of the write. A write that may have been applied must not be repeated
 * blindly, so the failure names the command that checks it.
 */
export function withOutcome(
  error: unknown,
  write: { call?: Call | undefined; description: string },
): unknown {
  if (!(error instanceof Failure)) return error;
  const { category, message, details } = error;
  const outcome = outcomeOfFailure(error);
  if (outcome === 'unknown') {
    return new Failure(
      category,
      `${message} The outcome of \`${write.description}\` is unknown. It was not retried.`,
      {
        ...details,
        outcome,
        ...(write.call && { hint: joinHints('\n', ['To check: ', checkCommand(write.call)], details.check) }),
      },
    );
  }
  const messageWithOutcome =
    details.cause instanceof TransportError ? `${message} Nothing was sent.` : message;
  return new Failure(category, messageWithOutcome, { ...details, outcome });
}

/**
 * Returns the failure of a creation whose response has the ID of another record; `owner` names that record: `line 2`.
 */
export function duplicateIdFailure(id: string, owner: string): Failure {
  return new Failure(
    'unavailable',
    `The service returned the ID ${shortenValue(id)}, which belongs to ${owner}.`,
    {
      unexpectedResponse: { id },
    },
  );
}

/** Returns the failure of a read before a write with the outcome `not_sent`. */
export function markAsNotSent(error: unknown): unknown {
  if (!(error instanceof Failure) || error.details.outcome !== undefined) return error;
  return new Failure(error.category, error.message, { ...error.details, outcome: 'not_sent' });
}

/** The number of attempts of a read before a write: only two, because the user waits for the write. */
export const attemptsBeforeWrite = 2;

const refusalCategories: ReadonlySet<Category> = new Set(['not_allowed', 'not_found', 'refused', 'usage']);

/**
 * Returns whether the service refused a read before a write. Without read access, or for an unknown ID, the write is
 * still sent; if the service is down or rejects the token, it isn't.
 */
export function isRefusedRead(error: unknown): error is Failure {
  return error instanceof Failure && refusalCategories.has(error.category);
}

/** Returns the command line of a call for messages, without `boh`: `suppliers update 42`. */
export function commandOf({ operation, ids = [] }: Call): string {
  return [operation.resource.command, operation.verb, ...ids.map(quoteForShell)].join(' ');
}

/** Statuses of the category `unavailable` with which services reject requests unprocessed. */
const rejectedStatuses = new Set([300, 301, 304, 305, 307, 308, 407, 425]);

function outcomeOfFailure({ category, details: { cause, status, outcome } }: Failure): WriteStatus {
  if (outcome !== undefined) return outcome;
  if (category !== 'unavailable' && category !== 'interrupted') return 'not_sent';
  if (cause instanceof TransportError) return cause.mayHaveArrived ? 'unknown' : 'not_sent';
  // It was interrupted before it was sent, or while waiting after a refusal.
  if (category === 'interrupted') return 'not_sent';
  return status !== undefined && rejectedStatuses.has(status) ? 'not_sent' : 'unknown';
}

function checkCommand({ operation, ids: [id] = [], body = {} }: Call): CommandLine {
  const { link, resource } = operation;
  const { command, filters, key } = resource;
  if (id !== undefined) {
    return boh.account(`${command} get`, id, ...(link ? ['--include', link.field] : []));
  }
  const name = key.find((candidate) => canBeQueried(body[candidate]));
  if (name !== undefined) return boh.account(`${command} list`, `--${flagName(name)}`, String(body[name]));
  const changedFilter = changedAfterFilter(filters);
  return boh.account(
    `${command} list`,
    ...(changedFilter ? [`--${flagName(changedFilter.name)}`, '10m'] : []),
  );
}

/** The maximum number of characters of a value in the suggested command. */
const maxQueryCharacters = 200;

function canBeQueried(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value.length <= maxQueryCharacters;
}
