/** What stands in the path and the query of a request, in the words of OpenAPI. */
import { apiOf } from '../contract/api.ts';
import type { Field, Kind } from '../contract/field.ts';
import type { Filter } from '../contract/filter.ts';
import { includableAfter, sortable } from '../contract/include.ts';
import type { BodyField, Operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { type JsonSchema, valueJsonSchema } from './json-schema.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  description: string;
  required: boolean;
  schema: JsonSchema;
  /** Several values stand in one parameter, with commas. */
  style?: 'form';
  explode?: false;
}

export function pathParameters({ params, resource }: Operation): Parameter[] {
  return params.map(({ name, target }) => ({
    name,
    in: 'path',
    description: `The id of one of the ${apiOf(resource).nounsOf(target)}`,
    required: true,
    schema: filledText(),
  }));
}

/** What a GET that acts sends in its query. */
export function queryParameters(body: readonly BodyField[]): Parameter[] {
  return body.map(({ name, field }) => ({
    name,
    in: 'query',
    description: field.traits.about ?? '',
    required: true,
    schema: filledText(),
  }));
}

/** Filters as `filter[name]`, then what every list takes. */
export function listParameters(resource: Resource): Parameter[] {
  const includable = includableAfter(resource, []) ?? [];
  const sorts = sortable(resource);
  return [
    ...resource.filters.map(filterParameter),
    ...(includable.length > 0 ? [includeParameter(includable)] : []),
    ...(sorts.length > 0 ? [sortParameter(sorts)] : []),
    page,
  ];
}

function filterParameter({ name, value, match }: Filter): Parameter {
  const one = filterValues[value.kind](value);
  // A text that is searched for may hold commas of its own.
  const isList = one.type === 'integer' || one.type === 'number';
  const about = value.traits.about ?? '';
  return {
    name: `filter[${name}]`,
    in: 'query',
    description: match === 'unknown' ? `${about} (what it does is not documented)` : about,
    required: false,
    ...(isList ? several(one) : { schema: one }),
  };
}

/** What one value of a filter is: anything that isn't plain is looked for by text, or by id. */
const filterValues: Readonly<Record<Kind, (field: Field) => JsonSchema>> = {
  boolean: valueJsonSchema,
  integer: valueJsonSchema,
  decimal: valueJsonSchema,
  date: valueJsonSchema,
  timestamp: valueJsonSchema,
  choice: valueJsonSchema,
  integers: () => ({ type: 'integer' }),
  text: filledText,
  numeric_text: filledText,
  unit: filledText,
  hour: filledText,
  words: filledText,
  ids: filledText,
  one: filledText,
  many: filledText,
  ring: filledText,
  object: filledText,
  objects: filledText,
};

function filledText(): JsonSchema {
  return { type: 'string', minLength: 1 };
}

function includeParameter(names: readonly string[]): Parameter {
  return {
    name: 'include',
    in: 'query',
    description: 'Relations to show whole, instead of their ids alone; those behind them follow a dot',
    required: false,
    ...several({ type: 'string', pattern: `^(${names.join('|')})(\\.\\w+)*$`, examples: names }),
  };
}

function sortParameter(names: readonly string[]): Parameter {
  return {
    name: 'sort',
    in: 'query',
    description: 'What to order by; with a minus, the other way round',
    required: false,
    ...several({ type: 'string', enum: names.flatMap((name) => [name, `-${name}`]) }),
  };
}

const page: Parameter = {
  name: 'page',
  in: 'query',
  description: 'Which page, from 1',
  required: false,
  schema: { type: 'integer', minimum: 1 },
};

function several(items: JsonSchema): Pick<Parameter, 'style' | 'explode' | 'schema'> {
  return { style: 'form', explode: false, schema: { type: 'array', items } };
}
