/** Input held against the contract before it is sent: every violation, in a person's words. Loaded by writes alone. */

import type * as z from 'zod';
import type { FieldMessages } from '../base/errors.ts';
import { mask } from '../base/mask.ts';
import { isObject, withPlainNumbers } from '../base/number-text.ts';
import { type Bounds, isWithin, type Limit, limitInWords } from './bounds.ts';
import type { BodyField, Operation } from './operation.ts';
import { fieldsSchema } from './value-schemas.ts';

/**
 * All that is wrong with a body, by field; empty when it may be sent. Fields the contract doesn't know are wrong too.
 * Never throws, whatever is given.
 */
export function validateBody(operation: Operation, body: Readonly<Record<string, unknown>>): FieldMessages {
  const { error } = bodySchema(operation).safeParse(withPlainNumbers(body));
  const messages = new Map<string, string[]>();
  const add = (path: readonly PropertyKey[], message: string) => {
    const key = path.map(String).join('.') || '_';
    messages.set(key, [...(messages.get(key) ?? []), message]);
  };
  if (isObject(body)) for (const name of Object.keys(body)) if (holdsMask(body[name])) add([name], isCovered);
  for (const issue of error?.issues ?? []) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) add([...issue.path, key], unknownField(operation, issue.path, key));
    } else {
      add(issue.path, issue.message);
    }
  }
  return Object.fromEntries(messages);
}

/** What was read covered, as in an export or a backup, would take the place of the real value. */
const isCovered = `holds ${mask}, which stands in the place of a secret: give the value itself`;

function holdsMask(value: unknown, levels = 20): boolean {
  if (typeof value === 'string') return value.includes(mask);
  if (typeof value !== 'object' || value === null || levels === 0) return false;
  return Object.values(value).some((inner) => holdsMask(inner, levels - 1));
}

const made = new WeakMap<Operation, z.ZodType>();

/** What the body of an operation may be; `boh schema` shows the same. Made once for each. */
export function bodySchema(operation: Operation): z.ZodType {
  const schema = made.get(operation) ?? makeSchema(operation);
  made.set(operation, schema);
  return schema;
}

function makeSchema({ body, effect }: Operation): z.ZodType {
  const fields = fieldsSchema(body, effect === 'create', 'must be an object of fields');
  const conditions = body.flatMap((entry) => conditionsOf(entry, body));
  if (conditions.length === 0) return fields;
  const allOf = conditions.map(conditionAsSchema);
  return conditions.reduce(withCondition, fields).meta({ allOf });
}

/** A limit of a field, where the same body may hold the field that it depends on. */
interface Condition {
  name: string;
  limit: Limit;
  /** The numbers that the other field stands at while the limit holds. */
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
            values: limit.is.map((word) => words[word]),
            mayBeNull: field.traits.nullable === true,
          },
        ]
      : [];
  });
}

/** Held to whatever else is wrong, so that all is told at once. */
function withCondition(schema: z.ZodObject, { name, limit, values }: Condition): z.ZodObject {
  const isKept = (body: Record<string, unknown>) => {
    const value = body[name];
    return typeof value !== 'number' || !values.includes(body[limit.where]) || isWithin(value, limit);
  };
  const error = `must be ${limitInWords(limit)}`;
  return schema.refine(isKept, { path: [name], error, when: ({ value }) => isObject(value) });
}

/** The same in the words of JSON Schema. */
function conditionAsSchema({ name, limit, values, mayBeNull }: Condition): object {
  const type = mayBeNull ? ['number', 'null'] : 'number';
  return {
    if: { properties: { [limit.where]: { enum: values } }, required: [limit.where] },
    // Linters that forbid what no schema names are told that this one doesn’t speak of the others.
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in data that nobody awaits
    then: { properties: { [name]: { type, ...boundsAsSchema(limit) } }, additionalProperties: true },
  };
}

function boundsAsSchema({ minimum, maximum, above, below }: Bounds): object {
  return {
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(above !== undefined && { exclusiveMinimum: above }),
    ...(below !== undefined && { exclusiveMaximum: below }),
  };
}

function unknownField({ resource, verb }: Operation, path: readonly PropertyKey[], key: string): string {
  if (path.length > 0) return 'is not expected here';
  const isReadOnly = Object.hasOwn(resource.fields, key);
  return isReadOnly ? `can’t be set by ${verb}` : `is not a field of ${resource.command}`;
}
