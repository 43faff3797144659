/** An answer other than success: thrown wherever the reason is found, turned into a response in one place. */
import type { FieldMessages } from '../../base/errors.ts';
import { jsonAnswer, type ServiceResponse } from './message.ts';

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

  answer(): ServiceResponse {
    const body = this.errors ? { message: this.message, errors: this.errors } : { message: this.message };
    return jsonAnswer(this.status, body, this.headers);
  }
}

export const badRequest = (message: string) => new Refusal(400, message);
export const unauthenticated = () => new Refusal(401, 'Unauthenticated.');
export const unauthorized = (why: string) => new Refusal(403, `This action is unauthorized. ${why}`);
export const notFound = () => new Refusal(404, 'Not found.');
export const tooLarge = (message: string) => new Refusal(413, message);
export const unsupported = (message: string) => new Refusal(415, message);
export const invalid = (errors: FieldMessages) => new Refusal(422, 'The given data was invalid.', { errors });

export function methodNotAllowed(method: string, allowed: readonly string[]): Refusal {
  return new Refusal(405, `The ${method} method is not supported here. Supported: ${allowed.join(', ')}.`, {
    headers: { allow: allowed.join(', ') },
  });
}
