/** The JSON Schema of manifests, with which editors complete and validate them. */
import type { Api } from '../../../api/contract/api.ts';
import type { Field } from '../../../api/contract/field.ts';
import { linkFields, nestedFields } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { inputWords } from '../../../api/contract/value-text.ts';
import { type JsonSchema, schemaDialect, valueJsonSchema } from '../../../api/reference/json-schema.ts';
import { entryName, type ManifestField, manifestFields } from '../declared/fields.ts';
import { onlyVariables } from '../source/variables.ts';

/** A variable, in fields that accept no other text. */
const variable: JsonSchema = { type: 'string', pattern: String.raw`\$\{` };
/** Text; unquoted digits are read as text. */
const plainText: JsonSchema = { type: ['string', 'number'] };

/** A reference by key, or by the values of some fields. */
const reference: JsonSchema = { anyOf: [plainText, { type: 'object' }] };

export function manifestSchema({ collections }: Api): JsonSchema {
  const resources = collections.filter((resource) => manifestFields(resource).size > 0);
  const lists = resources.map((resource) => [
    resource.command,
    {
      description: `${resource.summary}.`,
      type: ['array', 'null'],
      items: { $ref: `#/$defs/${resource.one}` },
    },
  ]);
  return {
    $schema: schemaDialect,
    title: 'A manifest of boh',
    description: 'Resources with their records. Only the fields in the file are managed.',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(lists) },
    // Entries that contain anchors.
    patternProperties: { '^x-': {} },
    additionalProperties: false,
    $defs: Object.fromEntries(resources.map((resource) => [resource.one, recordSchema(resource)])),
  };
}

function recordSchema(resource: Resource): JsonSchema {
  const fields = [...manifestFields(resource).values()];
  const names: JsonSchema = { enum: fields.map(({ name }) => name) };
  const specialKeys = {
    $key: {
      description: 'The fields that identify the record, instead of its natural key',
      anyOf: [names, { type: 'array', items: names, minItems: 1 }],
    },
    $renamed_from: { description: 'The old key of the record', type: ['string', 'number', 'object'] },
    $absent: { description: 'Whether the record is deleted if it exists', type: 'boolean' },
    $exact: { description: "Remove links and list entries that the file doesn't contain", type: 'boolean' },
  };
  return {
    title: resource.noun,
    type: 'object',
    properties: {
      ...specialKeys,
      ...Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, resource)])),
    },
    additionalProperties: false,
  };
}

function fieldSchema({ name, field }: Pick<ManifestField, 'name' | 'field'>, resource: Resource): JsonSchema {
  const { description, nullable, secret } = field.traits;
  const schema = secret
    ? { type: 'string', pattern: onlyVariables.source }
    : valueSchema(field, name, resource);
  const nullableSchema = nullable ? { anyOf: [schema, { type: 'null' }] } : schema;
  return { ...(description && { description }), ...nullableSchema };
}

function valueSchema(field: Field, name: string, resource: Resource): JsonSchema {
  switch (field.kind) {
    case 'text':
    case 'timestamp':
      return plainText;
    case 'numeric_text':
    case 'unit':
      return plainText;
    case 'choice':
      return orVariable(choiceSchema(field));
    case 'integers':
      return {
        type: 'array',
        items: orVariable(choiceSchema(field)),
      };
    case 'one':
      return reference;
    case 'many':
      return { type: 'array', items: linkSchema(field, name, resource) };
    case 'ids':
      return { type: 'array', items: { type: ['string', 'number', 'object'] } };
    case 'objects':
      return { type: 'array', items: partSchema(field, resource) };
    default:
      return orVariable(valueJsonSchema(field));
  }
}

function orVariable(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, variable] };
}

/** Returns the words and numbers of a field, with numbers also as strings, or any other number: accounts may have others. */
function choiceSchema(field: Field): JsonSchema {
  const { words = {} } = field.traits;
  const numbers = Object.values(words);
  const allWords = [...Object.keys(words), ...inputWords(field), ...numbers, ...numbers.map(String)];
  return { anyOf: [{ enum: [...new Set(allWords)] }, { type: 'integer' }] };
}

function linkSchema(field: Field, name: string, resource: Resource): JsonSchema {
  const fields = linkFields(field);
  if (fields.length === 0) return reference;
  const entry = entryName(resource, name, field);
  const properties = fields.map((linkField) => [linkField.name, fieldSchema(linkField, resource)]);
  return {
    anyOf: [
      plainText,
      {
        type: 'object',
        properties: {
          [entry]: { description: 'The linked record', ...reference },
          ...Object.fromEntries(properties),
        },
        required: [entry],
        additionalProperties: false,
      },
    ],
  };
}

function partSchema(field: Field, resource: Resource): JsonSchema {
  const entries = nestedFields(field).map((linkField) => [
    linkField.responseName,
    fieldSchema({ name: linkField.responseName, field: linkField.field }, resource),
  ]);
  return { type: 'object', properties: Object.fromEntries(entries), additionalProperties: false };
}
