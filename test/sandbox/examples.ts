/** Builds bodies for every operation of the contract, from the examples of fields and the records of the demo. */
import type { Field } from '../../src/api/contract/field.ts';
import { linkFields, nestedFields, type Operation, operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { references } from '../../src/api/resources/references.ts';
import type { Client } from './client.ts';

/** A body or a record. */
export type Body = Record<string, unknown>;

/** Returns the ID of an example record, for relations to it. */
export function existingId(client: Client, target: string): string {
  const reference = references.find(({ name }) => name === target);
  if (reference) return reference.exampleId;
  const resource = api.resource(target);
  if (!resource) throw new Error(`${target} is neither a resource nor a reference`);
  if (resource.key.length === 0) return resource.exampleKey;
  for (const filter of resource.key) {
    const { json } = client.get(
      `${resource.path}?filter[${filter}]=${encodeURIComponent(resource.exampleKey)}`,
    );
    const exact = json.data.filter((record: Body) => record[filter] === resource.exampleKey);
    if (exact.length === 1) return exact[0].id;
  }
  throw new Error(`The demo has no ${resource.one} ${resource.exampleKey}`);
}

/** Returns a body with every field of the operation that has an example. */
export function fullBody(client: Client, { body }: Operation): Body {
  const values = body.map(({ name, field }) => [name, exampleOf(client, field)]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Returns a body with only the required fields. */
export function minimalBody(client: Client, { body }: Operation): Body {
  const required = body.filter(({ field }) => field.traits.required);
  return Object.fromEntries(required.map(({ name, field }) => [name, exampleOf(client, field)]));
}

/** Returns the ID of a record with a value in a field, such as a tag of a type. */
function matchingId(
  client: Client,
  target: string,
  { field, value }: { field: string; value: number },
): string {
  return client.get(`/${target}?filter[${field}]=${value}`).json.data[0].id;
}

let exampleCount = 0;

/** Returns the example of a field. Examples of unique fields get a number. */
export function exampleOf(client: Client, field: Field): unknown {
  const { kind, traits } = field;
  const { example, target = '', unique, targetFilter } = traits;
  if (kind === 'one') return example ?? existingId(client, target);
  if (kind === 'many') {
    const id = targetFilter ? matchingId(client, target, targetFilter) : existingId(client, target);
    const linkValues = linkFields(field).map((entry) => [entry.name, exampleOf(client, entry.field)]);
    return [{ id, ...Object.fromEntries(linkValues) }];
  }
  if (kind === 'objects') {
    const partFields = nestedFields(field).filter(({ name }) => name !== 'id');
    return [Object.fromEntries(partFields.map((entry) => [entry.name, exampleOf(client, entry.field)]))];
  }
  exampleCount += 1;
  return unique && example !== undefined ? `${example}-${exampleCount}` : example;
}

/** Creates a record of a resource, or returns an existing one if the API can't create it. */
export function newRecordId(client: Client, name: string): string {
  const resource = api.resource(name);
  const creation = resource && operation(resource, 'create');
  if (!resource || !creation) return existingId(client, name);
  const { status, json } = client.post(resource.path, minimalBody(client, creation));
  if (status !== 201) throw new Error(`The ${resource.one} could not be created: ${JSON.stringify(json)}`);
  return json.data.id;
}

/** Returns nested objects of a response as a request sends them, without their IDs. */
export function asRequestBody(field: Field, responseValue: readonly Body[]): Body[] {
  const partFields = nestedFields(field).filter(({ name }) => name !== 'id');
  return responseValue.map((object) =>
    Object.fromEntries(
      partFields.map((entry) => [entry.name, requestValue(entry.field, object[entry.responseName])]),
    ),
  );
}

function requestValue(field: Field, value: unknown): unknown {
  if (field.kind === 'one') return (value as { id: string }).id;
  if (field.kind !== 'many') return value;
  return (value as { id: string; pivot?: Body }[]).map(({ id, pivot }) => ({
    id,
    ...Object.fromEntries(linkFields(field).map(({ name }) => [name, pivot?.[name]])),
  }));
}

/** Returns the path of an operation with IDs filled in. */
export function pathOf({ path }: Operation, ids: readonly string[]): string {
  const remainingIds = [...ids];
  return path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(remainingIds.shift() ?? ''));
}
