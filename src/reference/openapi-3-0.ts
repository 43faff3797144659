/** Converts the OpenAPI document to version 3.0 for older generators and mocks. What 3.0 can't express is only in descriptions. */
import type { OpenApiDocument } from './openapi-responses.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the document in version 3.0. */
export function inVersion30({ info, ...document }: OpenApiDocument): OpenApiDocument {
  const { summary, license, ...rest } = info;
  return {
    ...(everySchema(document) as Omit<OpenApiDocument, 'info'>),
    openapi: '3.0.3',
    info: { ...rest, license: { name: 'MIT', url: 'https://opensource.org/license/mit' } },
  };
}

/** The keys under which documents have schemas. */
function everySchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(everySchema);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === 'schema' && isObject(part)) return [key, schemaIn30(part)];
      if (key === 'schemas' && isObject(part)) return [key, eachSchema(part)];
      return [key, key === 'example' || key === 'scopes' ? part : everySchema(part)];
    }),
  );
}

function eachSchema(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? schemaIn30(schema) : schema]),
  );
}

function schemaIn30(schema: Json): Json {
  const { $ref, ...others } = schema;
  // Version 3.0 ignores everything next to a reference.
  if ($ref !== undefined && Object.keys(others).length > 0)
    return { allOf: [{ $ref }], ...schemaIn30(others) };
  const written = {
    ...withoutNewWords(schema),
    ...nulls(schema),
    ...constants(schema),
    ...exclusive(schema),
  };
  return withInnerSchemas({ ...written, ...example(schema), ...pairs(schema) });
}

/** Keywords that 3.0 doesn't have, or uses differently. */
const newWords = ['examples', 'const', 'if', 'then', 'prefixItems', 'exclusiveMinimum', 'exclusiveMaximum'];

function withoutNewWords(schema: Json): Json {
  const { anyOf, oneOf, allOf, type, required, ...rest } = schema;
  const conditions = Array.isArray(allOf) ? allOf.filter((part) => !(isObject(part) && 'if' in part)) : [];
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !newWords.includes(key))),
    ...(conditions.length > 0 && { allOf: conditions }),
    ...(typeof type === 'string' && { type }),
    ...(Array.isArray(required) && required.length > 0 && { required }),
  };
}

/** Converts `type: [string, null]` and `anyOf: [{…}, {type: null}]` to `nullable`, which needs a type. */
function nulls({ type, anyOf }: Json): Json {
  if (Array.isArray(type)) {
    const [only] = type.filter((name) => name !== 'null');
    return type.includes('null') ? orNull({ type: only }) : { type: only };
  }
  if (!Array.isArray(anyOf)) return {};
  const others = anyOf.filter((part) => !(isObject(part) && part.type === 'null')).filter(isObject);
  const [first = {}, ...more] = others.length === 1 ? others.map(schemaIn30) : others;
  const mayBeNull = others.length < anyOf.length;
  if (more.length > 0) return { anyOf: mayBeNull ? [orNull(first), ...more] : [first, ...more] };
  return mayBeNull ? orNull(first) : first;
}

/** Adds null to the values of a nullable enumeration. */
function orNull(schema: Json): Json {
  const { anyOf, enum: values, $ref } = schema;
  if ($ref !== undefined) return { type: 'object', allOf: [schema], nullable: true };
  if (Array.isArray(anyOf))
    return { ...schema, anyOf: anyOf.map((part, at) => (at === 0 ? orNull(part) : part)) };
  return { ...schema, ...(Array.isArray(values) && { enum: [...values, null] }), nullable: true };
}

/** Converts numbers with words to an enumeration; generators read the words from `x-enum-varnames`. */
function constants({ const: constant, oneOf }: Json): Json {
  if (constant !== undefined) return { enum: [constant] };
  if (!Array.isArray(oneOf)) return {};
  const named = oneOf.filter((part) => isObject(part) && part.const !== undefined) as Json[];
  if (named.length < oneOf.length) return { oneOf };
  return { enum: named.map((part) => part.const), 'x-enum-varnames': named.map(({ title }) => title) };
}

function exclusive({ exclusiveMinimum, exclusiveMaximum }: Json): Json {
  return {
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum !== undefined && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  };
}

function example({ examples }: Json): Json {
  return Array.isArray(examples) ? { example: examples[0] } : {};
}

/** Converts a pair of numbers to an array of numbers within the bounds of both. */
function pairs({ prefixItems }: Json): Json {
  if (!Array.isArray(prefixItems)) return {};
  const parts = prefixItems.filter(isObject);
  const minimum = Math.min(...parts.map((part) => Number(part.minimum)));
  const maximum = Math.max(...parts.map((part) => Number(part.maximum)));
  return { items: { type: 'number', minimum, maximum } };
}

const inner = ['items', 'additionalProperties', 'not'];

function withInnerSchemas(schema: Json): Json {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties' && isObject(value)) return [key, eachSchema(value)];
      if (inner.includes(key) && isObject(value)) return [key, schemaIn30(value)];
      if (['anyOf', 'oneOf', 'allOf'].includes(key) && Array.isArray(value)) {
        return [key, value.map((part) => (isObject(part) ? schemaIn30(part) : part))];
      }
      return [key, value];
    }),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
