/** An error response. It is thrown where the reason is found, and turned into a response in one place. */
import type { FieldMessages } from '../../base/errors.ts';
import { jsonAnswer, type ServiceResponse } from './message.ts';

/** An error response, as an exception. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: FieldMessages | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    details: { errors?: FieldMessages; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.errors = details.errors;
    this.headers = details.headers ?? {};
  }

  /** Returns the response. */
  answer(): ServiceResponse {
    const body = this.errors ? { message: this.message, errors: this.errors } : { message: this.message };
    return jsonAnswer(this.status, body, this.headers);
  }
}

/** Status 400. */
export const badRequest = (message: string) => new Refusal(400, message);
/** Status 401. */
export const unauthenticated = () => new Refusal(401, 'Unauthenticated.');
/** Status 403. */
export const unauthorized = (why: string) => new Refusal(403, `This action is unauthorized. ${why}`);
/** Status 404. */
export const notFound = () => new Refusal(404, 'Not found.');
/** Status 413. */
export const tooLarge = (message: string) => new Refusal(413, message);
/** Status 415. */
export const unsupported = (message: string) => new Refusal(415, message);
/** Status 422, with the messages by field. */
export const invalid = (errors: FieldMessages) => new Refusal(422, 'The given data was invalid.', { errors });

/** Status 405, with the allowed methods. */
export function methodNotAllowed(method: string, allowed: readonly string[]): Refusal {
  return new Refusal(405, `The ${method} method is not supported here. Supported: ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}
