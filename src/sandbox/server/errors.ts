/** Returns the responses for errors. */
import { Failure } from '../../base/errors.ts';
import { isBusy } from '../../storage/failures.ts';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { Refusal } from '../http/refusal.ts';
import type { ServingOptions } from './options.ts';

/** Returns the response for any error. */
export function errorResponse(error: unknown, { onBug }: Pick<ServingOptions, 'onBug'>): ServiceResponse {
  if (error instanceof Refusal) return error.answer();
  if (error instanceof Failure) return failureResponse(error);
  onBug(error);
  return jsonAnswer(500, { message: 'Server Error.' });
}

/**
 * Returns the response for a failure. `x-boh-outcome` is the outcome of a write if it is known: `not_sent` means that
 * nothing was written.
 */
export function failureResponse(failure: Failure): ServiceResponse {
  const { outcome } = failure.details;
  return jsonAnswer(
    503,
    { message: failure.message },
    {
      ...(isBusy(failure) && { 'retry-after': '1' }),
      ...(outcome !== undefined && { 'x-boh-outcome': outcome }),
    },
  );
}
