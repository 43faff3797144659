/** The answer of a service that can't do its work for now: its file is in use, damaged, or without room. */
import type { Failure } from '../../errors.ts';
import { isBusy } from '../../storage/failures.ts';
import { jsonAnswer, type ServiceResponse } from './message.ts';

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
