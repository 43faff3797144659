/** What is answered where a request can’t be answered as it should be, whatever the reason. */
import { Failure } from '../../errors.ts';
import { failureAnswer } from '../http/failure-answer.ts';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { Refusal } from '../http/refusal.ts';
import type { ServingOptions } from './options.ts';

export function answerTo(error: unknown, { onBug }: Pick<ServingOptions, 'onBug'>): ServiceResponse {
  if (error instanceof Refusal) return error.answer();
  if (error instanceof Failure) return failureAnswer(error);
  onBug(error);
  return jsonAnswer(500, { message: 'Server Error.' });
}
