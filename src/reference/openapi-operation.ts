/** Describes operations of the contract in OpenAPI. */
import { apiOf } from '../contract/api.ts';
import type { Field, Kind } from '../contract/field.ts';
import type { Filter } from '../contract/filter.ts';
import { includableAfter, sortableFields } from '../contract/include.ts';
import { type Operation, requiredScopes } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { exampleValue } from './examples.ts';
import { type JsonSchema, valueJsonSchema } from './json-schema.ts';
import { inputSchemaName, type Response, responsesOf } from './openapi-responses.ts';
import { describeScopes, operationSummary } from './operation-summary.ts';

/** An operation object of OpenAPI. */
export interface OpenApiOperation {
  tags: string[];
  summary: string;
  description: string;
  operationId: string;
  /** The alternative scopes: any of them is sufficient. */
  security: Record<string, readonly string[]>[];
  parameters: Parameter[];
  requestBody?: { required: boolean; content: object };
  responses: Record<string, Response>;
}

/** Returns the operation object of an operation. */
export function openApiOperation(operation: Operation): OpenApiOperation {
  const { resource, verb, effect, method, body } = operation;
  const scopes = requiredScopes(operation);
  const isInQuery = method === 'GET' && body.length > 0;
  return {
    tags: [resource.name],
    summary: operationSummary(operation),
    description: describeScopes(operation),
    operationId: `${resource.command}-${verb}`,
    security: scopes.length === 0 ? [{ oauth: [] }] : scopes.map((scope) => ({ oauth: [scope] })),
    parameters: [
      ...pathParameters(operation),
      ...(effect === 'list' ? listParameters(resource) : []),
      ...(isInQuery ? queryParameters(operation) : []),
    ],
    ...(body.length > 0 && !isInQuery && { requestBody: requestBody(operation) }),
    responses: responsesOf(operation),
  };
}

function requestBody(operation: Operation): { required: boolean; content: object } {
  const schema = { $ref: `#/components/schemas/${inputSchemaName(operation)}` };
  const example = exampleBody(operation);
  return { required: true, content: { 'application/json': { schema, example } } };
}

/** Returns an example body: for an update the first two fields that aren't unique, otherwise all fields with examples. */
function exampleBody({ effect, body, resource }: Operation): object {
  const pairs = body.flatMap(({ name, field, isRequired }) => {
    if (!isRequired && field.traits.example === undefined) return [];
    if (effect === 'update' && field.traits.unique) return [];
    const value = exampleValue(field, apiOf(resource));
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(effect === 'update' ? pairs.slice(0, 2) : pairs);
}

/** A parameter in the path or the query. */
interface Parameter {
  name: string;
  in: 'path' | 'query';
  description: string;
  required: boolean;
  schema: JsonSchema;
  /** A value that exists in the demo business. */
  example?: unknown;
  /** With `explode: false`, one parameter contains several values, separated by commas. */
  style?: 'form';
  explode?: false;
}

function pathParameters({ params, resource }: Operation): Parameter[] {
  const api = apiOf(resource);
  return params.map(({ name, target, exampleKey }) => ({
    name,
    in: 'path',
    description: `The ID of one of the ${api.nounsOf(target)}`,
    required: true,
    schema: nonEmptyText(),
    example: api.exampleId(target, exampleKey),
  }));
}

/** Returns the query parameters of an action whose method is GET. */
function queryParameters({ body, resource }: Operation): Parameter[] {
  return body.map(({ name, field, isRequired }) => ({
    name,
    in: 'query',
    description: field.traits.description ?? '',
    required: isRequired,
    schema: nonEmptyText(),
    example: exampleValue(field, apiOf(resource)),
  }));
}

/** Returns the parameters of a list: filters as `filter[name]`, then those that every list has. */
function listParameters(resource: Resource): Parameter[] {
  const includable = includableAfter(resource, []) ?? [];
  const sortable = sortableFields(resource);
  return [
    ...resource.filters.map((filter) => filterParameter(filter, resource)),
    ...(includable.length > 0 ? [includeParameter(includable)] : []),
    ...(sortable.length > 0 ? [sortParameter(sortable)] : []),
    pageParameter,
  ];
}

function filterParameter(filter: Filter, resource: Resource): Parameter {
  const { name, value, match } = filter;
  const valueSchema = filterValues[value.kind](value);
  // Text to search for may contain commas.
  const isList = valueSchema.type === 'integer' || valueSchema.type === 'number';
  const description = value.traits.description ?? '';
  return {
    name: `filter[${name}]`,
    in: 'query',
    description: match === 'unknown' ? `${description} (its effect is not documented)` : description,
    required: false,
    ...(isList ? commaSeparated(valueSchema) : { schema: valueSchema }),
    example: isList ? [filterExample(filter, resource)].flat() : filterExample(filter, resource),
  };
}

/** Returns the schema of one value of a filter; values that aren't plain are text or IDs. */
const filterValues: Readonly<Record<Kind, (field: Field) => JsonSchema>> = {
  boolean: valueJsonSchema,
  integer: valueJsonSchema,
  decimal: valueJsonSchema,
  date: valueJsonSchema,
  timestamp: valueJsonSchema,
  choice: valueJsonSchema,
  integers: () => ({ type: 'integer' }),
  text: nonEmptyText,
  numeric_text: nonEmptyText,
  unit: nonEmptyText,
  hour: nonEmptyText,
  words: nonEmptyText,
  ids: nonEmptyText,
  one: nonEmptyText,
  many: nonEmptyText,
  ring: nonEmptyText,
  object: nonEmptyText,
  objects: nonEmptyText,
};

function nonEmptyText(): JsonSchema {
  return { type: 'string', minLength: 1 };
}

function filterExample({ name, value }: Filter, resource: Resource): unknown {
  const { target, example, words = {} } = value.traits;
  const api = apiOf(resource);
  if (name === 'id') return resource.exampleId;
  if (name === (resource.exampleKeyField ?? resource.key[0])) return resource.exampleKey;
  if (target !== undefined && value.kind !== 'boolean') return api.exampleId(target);
  return example ?? Object.values(words)[0] ?? plainExamples[value.kind] ?? 'x';
}

/** Example values by kind, for fields without an example. */
const plainExamples: Partial<Record<Kind, unknown>> = {
  boolean: true,
  integer: 1,
  decimal: 1,
  date: '2026-11-20',
  timestamp: '2026-11-20 08:30:00',
};

function includeParameter(names: readonly string[]): Parameter {
  return {
    name: 'include',
    in: 'query',
    description: 'Relations to include in full; nested ones follow a dot',
    required: false,
    ...commaSeparated({ type: 'string', pattern: `^(${names.join('|')})(\\.\\w+)*$`, examples: names }),
    example: names.slice(0, 1),
  };
}

function sortParameter(names: readonly string[]): Parameter {
  return {
    name: 'sort',
    in: 'query',
    description: 'Field to sort by; a leading minus means descending order',
    required: false,
    ...commaSeparated({ type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) }),
    example: names.slice(0, 1),
  };
}

const pageParameter: Parameter = {
  name: 'page',
  in: 'query',
  description: 'Page number, from 1',
  required: false,
  schema: { type: 'integer', minimum: 1 },
  example: 1,
};

function commaSeparated(items: JsonSchema): Pick<Parameter, 'style' | 'explode' | 'schema'> {
  return { style: 'form', explode: false, schema: { type: 'array', items } };
}
