/** The contract as JSON Schema (draft 2020-12): what a record looks like, and what each operation may be sent. */
import type { Field, Fields, Kind } from '../contract/field.ts';
import { decimalForm } from '../contract/number-text.ts';
import { type Operation, operations } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';

/** As much of the vocabulary as the contract needs. */
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
  items?: JsonSchema;
  prefixItems?: readonly JsonSchema[];
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  minimum?: number;
  maximum?: number;
  readOnly?: boolean;
  writeOnly?: boolean;
  examples?: readonly unknown[];
}

/** The schema that stands for a related record; by default an object with an id, which is all that is promised. */
export type Refer = (target: string) => JsonSchema;

export const dialect = 'https://json-schema.org/draft/2020-12/schema';

/**
 * A record as the service answers it. Nothing but its id is required: some fields are shown to certain scopes only,
 * and fields that the contract doesn't know may stand beside these.
 */
export function recordSchema(resource: Resource, refer: Refer = referById): JsonSchema {
  const sent = new Set(operations(resource).flatMap(({ body }) => body.map(({ field }) => field)));
  const shown = Object.entries(resource.fields).filter(([, { traits }]) => !traits.writeOnly);
  const properties = shown.map(([name, field]) => {
    const { required, nullable } = field.traits;
    const schema = described(field, shownValue(field, refer));
    const isReadOnly = !sent.has(field);
    // What a record can be made without has no value afterwards, whether the document calls it nullable or not.
    const mayBeMissing = !isReadOnly && !required;
    return [
      name,
      { ...(nullable || mayBeMissing ? orNull(schema) : schema), ...(isReadOnly && { readOnly: true }) },
    ];
  });
  return {
    title: resource.noun,
    description: `${resource.summary}.`,
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(resource.fields.id && { required: ['id'] }),
  };
}

/** The body of an operation, or its query where it has none: what `validateBody` takes, as far as a schema can say it. */
export function inputSchema(operation: Operation): JsonSchema {
  const isNew = operation.effect === 'create';
  const properties = operation.body.map(({ name, field }) => {
    const { nullable, secret, writeOnly } = field.traits;
    const schema = described(field, sentValue(field, isNew));
    return [
      name,
      { ...(nullable ? orNull(schema) : schema), ...((secret || writeOnly) && { writeOnly: true }) },
    ];
  });
  return {
    title: `${operation.resource.noun} ${operation.verb}`,
    description: `What ${operation.method} ${operation.path} takes.`,
    type: 'object',
    properties: Object.fromEntries(properties),
    required: requiredNames(operation),
    additionalProperties: false,
  };
}

/** A document of its own: the record, and under `$defs` what each of its writes may be sent, by verb. */
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

/** An update changes what it is given, and the signed-in user stands in where a record needs a creator. */
function requiredNames({ body }: Operation): string[] {
  return body.filter(({ mustBeGiven }) => mustBeGiven).map(({ name }) => name);
}

const referById: Refer = (target) => ({
  title: target,
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
});

/** A value in an answer: relations are records, with what the link holds beside them. */
function shownValue(field: Field, refer: Refer): JsonSchema {
  const { target = '', pivot, fields } = field.traits;
  switch (field.kind) {
    case 'one':
      return refer(target);
    case 'many':
      return { type: 'array', items: linked(refer(target), pivot, refer) };
    case 'object':
      return nested(fields, refer);
    case 'objects':
      return { type: 'array', items: nested(fields, refer) };
    default:
      return plainValue(field, false);
  }
}

/** A value in a request: relations are ids, or objects with an id and sometimes a number. */
function sentValue(field: Field, isNew: boolean): JsonSchema {
  switch (field.kind) {
    case 'one':
      return { type: 'string', minLength: 1 };
    case 'many':
      return { type: 'array', items: link(field) };
    case 'object':
      return { type: 'object' };
    case 'objects':
      return { type: 'array', items: { type: 'object' } };
    default:
      return plainValue(field, isNew);
  }
}

function link({ traits: { amount, pivot } }: Field): JsonSchema {
  const number = amount === undefined ? undefined : pivot?.[amount];
  return {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 1 },
      ...(amount && number && { [amount]: described(number, plainValue(number, false)) }),
    },
    required: amount ? ['id', amount] : ['id'],
    additionalProperties: false,
  };
}

function linked(record: JsonSchema, pivot: Fields | undefined, refer: Refer): JsonSchema {
  if (!pivot) return record;
  return { allOf: [record, { type: 'object', properties: { pivot: nested(pivot, refer) } }] };
}

function nested(fields: Fields | undefined, refer: Refer): JsonSchema {
  const properties = Object.entries(fields ?? {}).map(([name, field]) => [
    name,
    orNull(described(field, shownValue(field, refer))),
  ]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

/** Kinds that are the same in answers and requests. `isNew`: only what a new record may take. */
function plainValue(field: Field, isNew: boolean): JsonSchema {
  const { minimum, maximum, allowed, words, creatable, open, required } = field.traits;
  const bounds = { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) };
  switch (field.kind as Exclude<Kind, 'one' | 'many' | 'object' | 'objects'>) {
    case 'text':
      return { type: 'string', ...(required && { minLength: 1 }) };
    case 'integer':
      return { type: 'integer', ...bounds };
    case 'decimal':
      return { type: 'number', ...bounds };
    case 'numeric_text':
      return { type: 'string', pattern: decimalForm.source };
    case 'boolean':
      return { type: 'boolean' };
    case 'date':
      return { type: 'string', format: 'date' };
    case 'timestamp':
      return { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2} \\d{2}:\\d{2}:\\d{2}$' };
    case 'unit':
      return { anyOf: [{ type: 'integer' }, { type: 'string', minLength: 1 }] };
    case 'hour':
      return {
        anyOf: [
          { type: 'integer', minimum: 0, maximum: 24 },
          { type: 'string', minLength: 1 },
        ],
      };
    case 'choice':
      return named(words, isNew ? creatable : undefined);
    case 'integers':
      return { type: 'array', items: open ? { anyOf: [named(words), { type: 'integer' }] } : named(words) };
    case 'words':
      return { type: 'array', items: { type: 'string', enum: allowed ?? [] } };
    case 'ids':
      return { type: 'array', items: { type: 'string', minLength: 1 } };
    case 'ring':
      return { anyOf: [{ type: 'array', items: position, minItems: 4 }, position] };
  }
}

const position: JsonSchema = {
  type: 'array',
  prefixItems: [
    { title: 'longitude', type: 'number', minimum: -180, maximum: 180 },
    { title: 'latitude', type: 'number', minimum: -90, maximum: 90 },
  ],
  // Not `false`: validators that don't know prefixItems would allow no items at all.
  items: { type: 'number' },
  minItems: 2,
  maxItems: 2,
};

/** Numbers with their words, as `oneOf` with titles: the form that generators of code and forms know. */
function named(words: Field['traits']['words'], only?: readonly number[]): JsonSchema {
  const values = Object.entries(words ?? {}).filter(([, value]) => only?.includes(value) ?? true);
  return { type: 'integer', oneOf: values.map(([title, value]) => ({ title, const: value })) };
}

function described({ kind, traits }: Field, schema: JsonSchema): JsonSchema {
  const { about, unit, example, secret } = traits;
  const description = unit === undefined ? about : `${about} (${unit})`;
  // A relation's example is an id, as requests take it; an answer shows the record.
  const isShown = example !== undefined && !secret && (kind !== 'one' || schema.type === 'string');
  return { ...(description && { description }), ...schema, ...(isShown && { examples: [example] }) };
}

/** The description stays outside, where readers of schemas look for it. */
function orNull(schema: JsonSchema): JsonSchema {
  const { description, examples, ...value } = schema;
  const about = { ...(description && { description }), ...(examples && { examples }) };
  if (typeof value.type === 'string' && !value.oneOf)
    return { ...about, ...value, type: [value.type, 'null'] };
  return { ...about, anyOf: [value, { type: 'null' }] };
}
