/** Validates request bodies against the contract before they are sent. Loaded only by commands that write. */
import type * as z from 'zod';
import type { FieldMessages } from '../../base/errors.ts';
import { isObject, withPlainNumbers } from '../../base/number-text.ts';
import { redactionMarker } from '../../base/redaction.ts';
import { type Bounds, describeLimit, isWithin, type Limit } from './bounds.ts';
import type { BodyField, Operation } from './operation.ts';
import { isOtherField } from './other-fields.ts';
import { fieldsSchema } from './value-schemas.ts';

/**
 * Returns all violations of a body by field; empty if the body is valid. Unknown fields are violations, too, unless
 * `allowsOtherFields`: for values that come from an account. Never throws, even if the body isn't an object.
 */
export function validateBody(
  operation: Operation,
  body: Readonly<Record<string, unknown>>,
  { allowsOtherFields = false } = {},
): FieldMessages {
  const { error } = bodySchema(operation).safeParse(withPlainNumbers(body));
  const messages = new Map<string, string[]>();
  const add = (path: readonly PropertyKey[], message: string) => {
    const key = path.map(String).join('.') || '_';
    messages.set(key, [...(messages.get(key) ?? []), message]);
  };
  if (isObject(body))
    for (const name of Object.keys(body))
      if (containsPlaceholder(body[name])) add([name], placeholderProblem);
  for (const issue of error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys') {
      const isOther = (key: string) =>
        issue.path.length === 0 && isOtherField(operation.resource.fields, key);
      for (const key of issue.keys.filter((name) => !allowsOtherFields || !isOther(name)))
        add([...issue.path, key], unknownFieldProblem(operation, issue.path, key));
    } else {
      add(issue.path, issue.message);
    }
  }
  return Object.fromEntries(messages);
}

/** The problem of a redacted value, for example from an export: it would replace the secret at the service. */
const placeholderProblem = `contains ${redactionMarker}, the placeholder for secrets in output: enter the real value`;

function containsPlaceholder(value: unknown, remainingLevels = 20): boolean {
  if (typeof value === 'string') return value.includes(redactionMarker);
  if (typeof value !== 'object' || value === null || remainingLevels === 0) return false;
  return Object.values(value).some((inner) => containsPlaceholder(inner, remainingLevels - 1));
}

const schemas = new WeakMap<Operation, z.ZodType>();

/** Returns the schema of an operation's body, which `boh schema` also prints. It is created once per operation. */
export function bodySchema(operation: Operation): z.ZodType {
  const schema = schemas.get(operation) ?? createSchema(operation);
  schemas.set(operation, schema);
  return schema;
}

function createSchema({ body, effect }: Operation): z.ZodType {
  const fields = fieldsSchema(body, effect === 'create', 'must be an object of fields');
  const conditions = body.flatMap((entry) => conditionsOf(entry, body));
  if (conditions.length === 0) return fields;
  const allOf = conditions.map(conditionSchema);
  return conditions.reduce(withCondition, fields).meta({ allOf });
}

/** A limit of a field that depends on another field of the same body. */
interface Condition {
  name: string;
  limit: Limit;
  /** The values of the other field for which the limit applies. */
  values: readonly unknown[];
  mayBeNull: boolean;
}

function conditionsOf({ name, field }: BodyField, body: readonly BodyField[]): Condition[] {
  return (field.traits.limits ?? []).flatMap((limit) => {
    const words = body.find((entry) => entry.name === limit.where)?.field.traits.words;
    return words
      ? [
          {
            name,
            limit,
            values: limit.words.map((word) => words[word]),
            mayBeNull: field.traits.nullable === true,
          },
        ]
      : [];
  });
}

/** Adds the check of a condition; it runs even if other checks fail, so that all violations are reported together. */
function withCondition(schema: z.ZodObject, { name, limit, values }: Condition): z.ZodObject {
  const satisfiesCondition = (body: Record<string, unknown>) => {
    const value = body[name];
    return typeof value !== 'number' || !values.includes(body[limit.where]) || isWithin(value, limit);
  };
  const error = `must be ${describeLimit(limit)}`;
  return schema.refine(satisfiesCondition, { path: [name], error, when: ({ value }) => isObject(value) });
}

/** Returns the condition as JSON Schema. */
function conditionSchema({ name, limit, values, mayBeNull }: Condition): object {
  const type = mayBeNull ? ['number', 'null'] : 'number';
  return {
    if: { properties: { [limit.where]: { enum: values } }, required: [limit.where] },
    // Other properties are allowed, because the condition is about a single property.
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in data that is never awaited
    then: { properties: { [name]: { type, ...boundsSchema(limit) } }, additionalProperties: true },
  };
}

function boundsSchema({ minimum, maximum, above, below }: Bounds): object {
  return {
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(above !== undefined && { exclusiveMinimum: above }),
    ...(below !== undefined && { exclusiveMaximum: below }),
  };
}

function unknownFieldProblem(
  { resource, verb }: Operation,
  path: readonly PropertyKey[],
  key: string,
): string {
  if (path.length > 0) return "isn't allowed here";
  const isReadOnly = Object.hasOwn(resource.fields, key);
  return isReadOnly ? `can't be set by ${verb}` : `is not a field of ${resource.command}`;
}
