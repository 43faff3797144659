/**
 * Checks a declared record against the contract: a value that neither a creation nor an update accepts is a
 * mistake.
 */
import { type BodyField, type Operation, operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { validateBody } from '../../../api/contract/validate.ts';
import type { Mistakes } from '../source/mistakes.ts';
import { entryNamed, type FileLocation, type MapNode, type Node, nodeAt } from '../source/node.ts';
import type { Declared, DeclaredValue } from './declared.ts';
import { manifestFields } from './fields.ts';
import { withPlaceholders } from './ref.ts';

/** A declared record with its node in the file, which gives the locations of mistakes. */
export interface CheckedRecord {
  record: Declared;
  node: MapNode | undefined;
}

/** Adds to `mistakes` every value that no write of the record would accept. */
export function checkRecord({ record, node }: CheckedRecord, mistakes: Mistakes): void {
  const { resource, values, location } = record;
  const fieldValues = [...values.values()].filter(({ field }) => !field.link);
  const body = Object.fromEntries(
    fieldValues.map(({ field, value }) => [field.requestName, withPlaceholders(value)]),
  );
  const write = combinedWrite(resource);
  for (const [path, messages] of Object.entries(validateBody(write, body))) {
    const [requestName = '', ...remainingPath] = path.split('.');
    const value = fieldValues.find(({ field }) => field.requestName === requestName);
    const valueLocation = value ? locationIn(value, remainingPath, node) : location;
    for (const message of messages) mistakes.add(valueLocation, `${path} ${message}`);
  }
  for (const value of values.values()) if (value.field.link) checkLinks(value, node, mistakes);
}

function checkLinks(declared: DeclaredValue, node: MapNode | undefined, mistakes: Mistakes): void {
  const { field, value } = declared;
  if (!field.link || !Array.isArray(value)) return;
  const linkOperation = {
    ...field.link.set,
    effect: 'update' as const,
    body: makeOptional(field.link.set.body),
  };
  for (const [index, link] of (withPlaceholders(value) as Record<string, unknown>[]).entries()) {
    const { id: _, ...linkValues } = link;
    for (const [path, messages] of Object.entries(validateBody(linkOperation, linkValues))) {
      const location = locationIn(declared, [String(index), ...path.split('.')], node);
      for (const message of messages) mistakes.add(location, `${field.name}.${index}.${path} ${message}`);
    }
  }
}

function locationIn(
  { field, location }: DeclaredValue,
  path: readonly string[],
  record: MapNode | undefined,
): FileLocation {
  const entry =
    record && (entryNamed(record, field.name) ?? entryNamed(record, field.requestName ?? field.name));
  const value: Node | undefined = entry?.value;
  return value ? nodeAt(value, path).location : location;
}

/** Returns the problems of the body of a new record, including missing fields. */
export function creationProblems(create: Operation, body: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(validateBody(create, body)).flatMap(([path, messages]) =>
    messages.map((message) => (path === '_' ? message : `${path} ${message}`)),
  );
}

const operationCache = new WeakMap<Resource, Operation>();

/** Returns an operation with all fields that any write accepts, as optional fields. */
function combinedWrite(resource: Resource): Operation {
  const cached = operationCache.get(resource);
  if (cached) return cached;
  const base = operation(resource, 'update') ?? operation(resource, 'create');
  if (!base) throw new Error(`${resource.name} has no writes`);
  const body = [...manifestFields(resource).values()].flatMap(({ update, create }) => update ?? create ?? []);
  const combined = { ...base, effect: 'update' as const, body: makeOptional(body) };
  operationCache.set(resource, combined);
  return combined;
}

function makeOptional(body: readonly BodyField[]): BodyField[] {
  return body.map((entry) => ({ ...entry, isRequired: false, mustBeSent: false }));
}
