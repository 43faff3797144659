/** The answer of a service that can't do its work for now: its file is in use, damaged, or without room. */
import type { Failure } from '../../errors.ts';
import { isBusy } from '../../storage/failures.ts';
import { jsonAnswer, type ServiceResponse } from './message.ts';

export function failureAnswer(failure: Failure): ServiceResponse {
  const headers = isBusy(failure) ? { 'retry-after': '1' } : undefined;
  return jsonAnswer(503, { message: failure.message }, headers);
}
