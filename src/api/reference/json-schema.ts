/**
 * Converts the contract to JSON Schema (draft 2020-12): records, and the bodies of operations. Both use the schemas that
 * validate input before it is sent.
 */
import * as z from 'zod';
import type { Field, Fields, Kind } from '../contract/field.ts';
import {
  type BodyField,
  linkFields,
  nestedFields,
  type Operation,
  operations,
} from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { bodySchema } from '../contract/validate.ts';
import { valueSchema } from '../contract/value-schemas.ts';
import { boundsOf } from './value-descriptions.ts';

/** The keywords of JSON Schema that the contract needs. */
export interface JsonSchema {
  $schema?: string;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  title?: string;
  description?: string;
  type?: string | readonly string[];
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: readonly unknown[];
  oneOf?: readonly JsonSchema[];
  anyOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  patternProperties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  prefixItems?: readonly JsonSchema[];
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  if?: JsonSchema;
  then?: JsonSchema;
  readOnly?: boolean;
  writeOnly?: boolean;
  examples?: readonly unknown[];
}

/** Returns the schema of a related record; by default an object with an ID, because the API promises nothing else. */
export type RelatedSchema = (target: string) => JsonSchema;

/** The version of JSON Schema that the schemas use. */
export const schemaDialect = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Returns the schema of a record in responses. Only the ID is required: some fields need certain scopes, fields without
 * a value that can't be null are omitted, and records may have fields that aren't in the contract.
 */
export function recordSchema(resource: Resource, relatedSchema: RelatedSchema = idOnlySchema): JsonSchema {
  const requestFields = new Set(operations(resource).flatMap(({ body }) => body.map(({ field }) => field)));
  const properties = Object.entries(propertySchemas(resource.fields, relatedSchema)).map(([name, schema]) => {
    const field = resource.fields[name];
    return [name, field && requestFields.has(field) ? schema : { ...schema, readOnly: true }];
  });
  return {
    title: resource.noun,
    description: `${resource.summary}.`,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(resource.fields.id && { required: ['id'] }),
  };
}

/** Returns the schema of the body of an operation, or of its query if it has no body; it allows the same values as `validateBody`. */
export function inputSchema(operation: Operation): JsonSchema {
  const { resource, verb, method, path, body } = operation;
  const { properties = {}, required = [], ...schema } = toJsonSchema(bodySchema(operation));
  return {
    title: `${resource.noun} ${verb}`,
    description: `Input of ${method} ${path}.`,
    ...schema,
    properties: describeProperties(properties, body),
    required,
  };
}

/** Returns a schema document: the record, and under `$defs` the body of each write by verb. */
export function resourceSchema(resource: Resource): JsonSchema {
  const writes = operations(resource).filter(({ body }) => body.length > 0);
  return {
    $schema: schemaDialect,
    ...recordSchema(resource),
    ...(writes.length > 0 && {
      $defs: Object.fromEntries(writes.map((write) => [write.verb, inputSchema(write)])),
    }),
  };
}

/** Returns a schema without related records, so that it has no cycles. */
export const idOnlySchema: RelatedSchema = (target) => ({
  title: target,
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
});

/** Converts a schema. In requests (`isRequest`), numbers must be exact in JSON; responses may contain any number. */
function toJsonSchema(schema: z.ZodType, { isRequest = true } = {}): JsonSchema {
  const { $schema, ...converted } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (isRequest) return;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return converted as JsonSchema;
}

/** Adds descriptions and examples to the schema of a field, also for nested fields. */
function describeProperties(
  properties: Readonly<Record<string, JsonSchema>>,
  body: readonly BodyField[],
): Record<string, JsonSchema> {
  const entries = Object.entries(properties).map(([name, schema]) => {
    const field = body.find((entry) => entry.name === name)?.field;
    if (!field) return [name, schema];
    const fieldsInside = [...linkFields(field), ...nestedFields(field)];
    const { secret, writeOnly } = field.traits;
    return [
      name,
      {
        ...withDescription(field, fieldsInside.length === 0 ? schema : describeNested(schema, fieldsInside)),
        ...((secret || writeOnly) && { writeOnly: true }),
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** Describes the fields of the object that a schema allows, or of the objects of its list. */
function describeNested(schema: JsonSchema, innerFields: readonly BodyField[]): JsonSchema {
  const { anyOf, items, properties } = schema;
  if (anyOf) return { ...schema, anyOf: anyOf.map((part) => describeNested(part, innerFields)) };
  if (items) return { ...schema, items: describeNested(items, innerFields) };
  return properties ? { ...schema, properties: describeProperties(properties, innerFields) } : schema;
}

function propertySchemas(
  fields: Fields | undefined,
  relatedSchema: RelatedSchema,
): Record<string, JsonSchema> {
  const readable = Object.entries(fields ?? {}).filter(([, { traits }]) => !traits.writeOnly);
  return Object.fromEntries(
    readable.map(([name, field]) => {
      const schema = withDescription(field, responseSchemas[field.kind](field, relatedSchema));
      return [name, field.traits.nullable ? allowNull(schema) : schema];
    }),
  );
}

/** The schemas of values in responses: relations are records with the fields of the link; other values are as in requests. */
const responseSchemas: Readonly<Record<Kind, (field: Field, relatedSchema: RelatedSchema) => JsonSchema>> = {
  text: () => ({ type: 'string' }),
  integer: valueJsonSchema,
  decimal: valueJsonSchema,
  boolean: valueJsonSchema,
  date: valueJsonSchema,
  timestamp: valueJsonSchema,
  choice: valueJsonSchema,
  numeric_text: valueJsonSchema,
  unit: valueJsonSchema,
  hour: valueJsonSchema,
  words: valueJsonSchema,
  integers: valueJsonSchema,
  ids: valueJsonSchema,
  ring: valueJsonSchema,
  one: ({ traits: { target = '' } }, relatedSchema) => relatedSchema(target),
  many: ({ traits: { target = '', pivot } }, relatedSchema) => ({
    type: 'array',
    items: withPivot(relatedSchema(target), pivot, relatedSchema),
  }),
  object: ({ traits: { fields } }, relatedSchema) => nestedSchema(fields, relatedSchema),
  objects: ({ traits: { fields } }, relatedSchema) => ({
    type: 'array',
    items: nestedSchema(fields, relatedSchema),
  }),
};

/** Returns the schema of a value in requests, without null. */
export function valueJsonSchema(field: Field): JsonSchema {
  return toJsonSchema(valueSchema(field, false), { isRequest: false });
}

function withPivot(record: JsonSchema, pivot: Fields | undefined, relatedSchema: RelatedSchema): JsonSchema {
  if (!pivot) return record;
  const pivotSchema = { pivot: nestedSchema(pivot, relatedSchema) };
  if (record.properties) return { ...record, properties: { ...record.properties, ...pivotSchema } };
  return { allOf: [record, { type: 'object', properties: pivotSchema }] };
}

function nestedSchema(fields: Fields | undefined, relatedSchema: RelatedSchema): JsonSchema {
  return { type: 'object', properties: propertySchemas(fields, relatedSchema) };
}

function withDescription(field: Field, schema: JsonSchema): JsonSchema {
  const { description = '', unit, example, secret } = field.traits;
  const notes = [unit, ...boundsOf(field)].filter(Boolean);
  const fullDescription = notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
  // A relation's example is an ID, as in requests; responses contain the record.
  const hasExample = example !== undefined && !secret && (field.kind !== 'one' || schema.type === 'string');
  return {
    ...(fullDescription && { description: fullDescription }),
    ...schema,
    ...(hasExample && { examples: [example] }),
  };
}

/** Allows null. The description stays outside, where programs that read schemas look for it. */
function allowNull(schema: JsonSchema): JsonSchema {
  const { description, examples, ...value } = schema;
  const annotations = { ...(description && { description }), ...(examples && { examples }) };
  if (typeof value.type === 'string' && !value.oneOf)
    return { ...annotations, ...value, type: [value.type, 'null'] };
  return { ...annotations, anyOf: [value, { type: 'null' }] };
}
