/** What is answered where a request can’t be answered as it should be, whatever the reason. */
import { Failure } from '../../base/errors.ts';
import { isBusy } from '../../storage/failures.ts';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { Refusal } from '../http/refusal.ts';
import type { ServingOptions } from './options.ts';

export function answerTo(error: unknown, { onBug }: Pick<ServingOptions, 'onBug'>): ServiceResponse {
  if (error instanceof Refusal) return error.answer();
  if (error instanceof Failure) return failureAnswer(error);
  onBug(error);
  return jsonAnswer(500, { message: 'Server Error.' });
}

/** `x-boh-outcome` says, where it is known, what became of a write: `not_sent` is nothing. */
export function failureAnswer(failure: Failure): ServiceResponse {
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
