/** Parses values from outside with a schema. */
import type * as z from 'zod';
import { type FieldMessages, usage } from '../base/errors.ts';

/** Returns the value that a schema parses. Throws a usage failure with the message that lists all problems. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  message: string,
  hint?: string,
): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields: FieldMessages = Object.create(null);
  for (const { path, message: problem } of result.error.issues) {
    const key = path.map(String).join('.') || '_';
    fields[key] = [...(fields[key] ?? []), problem];
  }
  throw usage(message, { fields, hint });
}
