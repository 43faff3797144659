/** Converts the OpenAPI document to version 3.0 for older generators and mocks. Only descriptions contain what 3.0 can't express. */
import type { OpenApiDocument } from './openapi-responses.ts';

type Json = Readonly<Record<string, unknown>>;

/** Converts a document to OpenAPI 3.0. */
export function toOpenApi30({ info, ...document }: OpenApiDocument): OpenApiDocument {
  const { summary, license, ...otherInfo } = info;
  return {
    ...(convertDocument(document) as Omit<OpenApiDocument, 'info'>),
    openapi: '3.0.3',
    info: { ...otherInfo, license: { name: 'MIT', url: 'https://opensource.org/license/mit' } },
  };
}

/** Converts the schemas of a document, which are under the keys `schema` and `schemas`. */
function convertDocument(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(convertDocument);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === 'schema' && isObject(part)) return [key, convertSchema(part)];
      if (key === 'schemas' && isObject(part)) return [key, convertSchemas(part)];
      return [key, key === 'example' || key === 'scopes' ? part : convertDocument(part)];
    }),
  );
}

function convertSchemas(schemas: Json): Json {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      isObject(schema) ? convertSchema(schema) : schema,
    ]),
  );
}

function convertSchema(schema: Json): Json {
  const { $ref, ...siblings } = schema;
  // Version 3.0 ignores everything next to a reference.
  if ($ref !== undefined && Object.keys(siblings).length > 0)
    return { allOf: [{ $ref }], ...convertSchema(siblings) };
  const converted = {
    ...withoutNewKeywords(schema),
    ...convertNulls(schema),
    ...convertConstants(schema),
    ...convertExclusiveBounds(schema),
  };
  return convertInnerSchemas({ ...converted, ...convertExamples(schema), ...convertPairs(schema) });
}

/** Keywords that don't exist in 3.0, or have another meaning there. */
const newKeywords = [
  'examples',
  'const',
  'if',
  'then',
  'prefixItems',
  'exclusiveMinimum',
  'exclusiveMaximum',
];

function withoutNewKeywords(schema: Json): Json {
  const { anyOf, oneOf, allOf, type, required, ...otherKeywords } = schema;
  const conditions = Array.isArray(allOf) ? allOf.filter((part) => !(isObject(part) && 'if' in part)) : [];
  return {
    ...Object.fromEntries(Object.entries(otherKeywords).filter(([key]) => !newKeywords.includes(key))),
    ...(conditions.length > 0 && { allOf: conditions }),
    ...(typeof type === 'string' && { type }),
    ...(Array.isArray(required) && required.length > 0 && { required }),
  };
}

/** Converts `type: [string, null]` and `anyOf: [{…}, {type: null}]` to `nullable`, which needs a type. */
function convertNulls({ type, anyOf }: Json): Json {
  if (Array.isArray(type)) {
    const [nonNullType] = type.filter((name) => name !== 'null');
    return type.includes('null') ? allowNull({ type: nonNullType }) : { type: nonNullType };
  }
  if (!Array.isArray(anyOf)) return {};
  const nonNullParts = anyOf.filter((part) => !(isObject(part) && part.type === 'null')).filter(isObject);
  const [first = {}, ...remaining] =
    nonNullParts.length === 1 ? nonNullParts.map(convertSchema) : nonNullParts;
  const mayBeNull = nonNullParts.length < anyOf.length;
  if (remaining.length > 0)
    return { anyOf: mayBeNull ? [allowNull(first), ...remaining] : [first, ...remaining] };
  return mayBeNull ? allowNull(first) : first;
}

/** Adds null to the values of a nullable enumeration. */
function allowNull(schema: Json): Json {
  const { anyOf, enum: values, $ref } = schema;
  if ($ref !== undefined) return { type: 'object', allOf: [schema], nullable: true };
  if (Array.isArray(anyOf))
    return { ...schema, anyOf: anyOf.map((part, index) => (index === 0 ? allowNull(part) : part)) };
  return { ...schema, ...(Array.isArray(values) && { enum: [...values, null] }), nullable: true };
}

/** Converts numbers with words to an enumeration; generators read the words from `x-enum-varnames`. */
function convertConstants({ const: constant, oneOf }: Json): Json {
  if (constant !== undefined) return { enum: [constant] };
  if (!Array.isArray(oneOf)) return {};
  const constantParts = oneOf.filter((part) => isObject(part) && part.const !== undefined) as Json[];
  const otherParts = oneOf.filter((part) => !constantParts.includes(part));
  const words = {
    enum: constantParts.map((part) => part.const),
    'x-enum-varnames': constantParts.map(({ title }) => title),
  };
  return otherParts.length === 0 ? words : { anyOf: [{ type: 'integer', ...words }, ...otherParts] };
}

function convertExclusiveBounds({ exclusiveMinimum, exclusiveMaximum }: Json): Json {
  return {
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum !== undefined && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  };
}

function convertExamples({ examples }: Json): Json {
  return Array.isArray(examples) ? { example: examples[0] } : {};
}

/** Converts a pair of numbers to an array of numbers within the bounds of both. */
function convertPairs({ prefixItems }: Json): Json {
  if (!Array.isArray(prefixItems)) return {};
  const parts = prefixItems.filter(isObject);
  const minimum = Math.min(...parts.map((part) => Number(part.minimum)));
  const maximum = Math.max(...parts.map((part) => Number(part.maximum)));
  return { items: { type: 'number', minimum, maximum } };
}

/** Keywords whose value is a schema. */
const schemaKeywords = ['items', 'additionalProperties', 'not'];

function convertInnerSchemas(schema: Json): Json {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'properties' && isObject(value)) return [key, convertSchemas(value)];
      if (schemaKeywords.includes(key) && isObject(value)) return [key, convertSchema(value)];
      if (['anyOf', 'oneOf', 'allOf'].includes(key) && Array.isArray(value)) {
        return [key, value.map((part) => (isObject(part) ? convertSchema(part) : part))];
      }
      return [key, value];
    }),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
