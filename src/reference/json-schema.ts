/**
 * The contract as JSON Schema (draft 2020-12): records, and the bodies of operations. Both use the schemas that validate
 * input before it is sent.
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
import { listWords } from '../contract/text.ts';
import { bodySchema } from '../contract/validate.ts';
import { valueSchema } from '../contract/value-schemas.ts';
import { boundsOf } from './value-words.ts';

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

/** The schema of a related record; by default an object with an id, because nothing else is promised. */
export type Refer = (target: string) => JsonSchema;

/** The version of JSON Schema that the schemas use. */
export const dialect = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Returns the schema of a record in responses. Only the id is required: some fields need certain scopes, fields without
 * a value that can't be null are omitted, and records may have fields that the contract doesn't know.
 */
export function recordSchema(resource: Resource, refer: Refer = referById): JsonSchema {
  const sent = new Set(operations(resource).flatMap(({ body }) => body.map(({ field }) => field)));
  const properties = Object.entries(shownFields(resource.fields, refer)).map(([name, schema]) => {
    const field = resource.fields[name];
    return [name, field && sent.has(field) ? schema : { ...schema, readOnly: true }];
  });
  return {
    title: resource.noun,
    description: `${resource.summary}.`,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(resource.fields.id && { required: ['id'] }),
  };
}

/** Returns the schema of the body of an operation, or of its query if it has no body; `validateBody` checks the same. */
export function inputSchema(operation: Operation): JsonSchema {
  const { resource, verb, method, path, body } = operation;
  const { properties = {}, required = [], ...schema } = toJsonSchema(bodySchema(operation));
  return {
    title: `${resource.noun} ${verb}`,
    description: `Input of ${method} ${path}.`,
    ...schema,
    properties: describedFields(properties, body),
    required,
  };
}

/** Returns a schema document: the record, and under `$defs` the body of each write by verb. */
export function resourceSchema(resource: Resource): JsonSchema {
  const writes = operations(resource).filter(({ body }) => body.length > 0);
  return {
    $schema: dialect,
    ...recordSchema(resource),
    ...(writes.length > 0 && {
      $defs: Object.fromEntries(writes.map((write) => [write.verb, inputSchema(write)])),
    }),
  };
}

/** Returns a schema without related records, so that it has no cycles. */
export const referById: Refer = (target) => ({
  title: target,
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
});

/** `isSent`: numbers must be exact in JSON; responses may contain any number. */
function toJsonSchema(schema: z.ZodType, { isSent = true } = {}): JsonSchema {
  const { $schema, ...made } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      // The titles contain the same words.
      if (jsonSchema.oneOf) {
        delete jsonSchema.const;
        delete jsonSchema.enum;
      }
      if (isSent) return;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return made as JsonSchema;
}

/** Adds descriptions and examples to the schema of a field, also for nested fields. */
function describedFields(
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
        ...described(field, fieldsInside.length === 0 ? schema : withDescribed(schema, fieldsInside)),
        ...((secret || writeOnly) && { writeOnly: true }),
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** The fields held by the object that a schema allows, or by the objects of its list. */
function withDescribed(schema: JsonSchema, held: readonly BodyField[]): JsonSchema {
  const { anyOf, items, properties } = schema;
  if (anyOf) return { ...schema, anyOf: anyOf.map((part) => withDescribed(part, held)) };
  if (items) return { ...schema, items: withDescribed(items, held) };
  return properties ? { ...schema, properties: describedFields(properties, held) } : schema;
}

function shownFields(fields: Fields | undefined, refer: Refer): Record<string, JsonSchema> {
  const shown = Object.entries(fields ?? {}).filter(([, { traits }]) => !traits.writeOnly);
  return Object.fromEntries(
    shown.map(([name, field]) => {
      const schema = described(field, answered[field.kind](field, refer));
      return [name, field.traits.nullable ? orNull(schema) : schema];
    }),
  );
}

/** A value in an answer: relations are records with the fields of the link; everything else is as in requests. */
const answered: Readonly<Record<Kind, (field: Field, refer: Refer) => JsonSchema>> = {
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
  one: ({ traits: { target = '' } }, refer) => refer(target),
  many: ({ traits: { target = '', pivot } }, refer) => ({
    type: 'array',
    items: linked(refer(target), pivot, refer),
  }),
  object: ({ traits: { fields } }, refer) => nested(fields, refer),
  objects: ({ traits: { fields } }, refer) => ({ type: 'array', items: nested(fields, refer) }),
};

/** A value as requests have it, apart from null. */
export function valueJsonSchema(field: Field): JsonSchema {
  return toJsonSchema(valueSchema(field, false), { isSent: false });
}

function linked(record: JsonSchema, pivot: Fields | undefined, refer: Refer): JsonSchema {
  if (!pivot) return record;
  const pivotSchema = { pivot: nested(pivot, refer) };
  if (record.properties) return { ...record, properties: { ...record.properties, ...pivotSchema } };
  return { allOf: [record, { type: 'object', properties: pivotSchema }] };
}

function nested(fields: Fields | undefined, refer: Refer): JsonSchema {
  return { type: 'object', properties: shownFields(fields, refer) };
}

function described(field: Field, schema: JsonSchema): JsonSchema {
  const { description = '', unit, example, secret, allowsOthers } = field.traits;
  // Numbers beside those that have words leave no room for the words elsewhere.
  const words = allowsOthers && `${listWords(field)}, or any other`;
  const notes = [unit, words, ...boundsOf(field)].filter(Boolean);
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
function orNull(schema: JsonSchema): JsonSchema {
  const { description, examples, ...value } = schema;
  const annotations = { ...(description && { description }), ...(examples && { examples }) };
  if (typeof value.type === 'string' && !value.oneOf)
    return { ...annotations, ...value, type: [value.type, 'null'] };
  return { ...annotations, anyOf: [value, { type: 'null' }] };
}
