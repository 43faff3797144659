/** Returns the expected error of a rejected promise. Throws if the promise was not rejected, or with another error. */

import { TransportError } from '../../src/account/client/transport.ts';
import { Failure } from '../../src/base/errors.ts';

export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  const error = await rejectionOf(work);
  if (error instanceof Failure) return error;
  throw error;
}

export async function transportErrorOf(work: Promise<unknown>): Promise<TransportError> {
  const error = await rejectionOf(work);
  if (error instanceof TransportError) return error;
  throw error;
}

async function rejectionOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => new Error('The promise was not rejected.'),
    (error: unknown) => error,
  );
}
