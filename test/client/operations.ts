/** Provides the operations of resources to tests. */
import { type Operation, operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';

/** Returns an operation by the names of its resource and verb: `operationOf('suppliers', 'link-item')`. */
export function operationOf(name: (typeof api.collections)[number]['name'], verb: string): Operation {
  const resource = api.resource(name);
  const match = resource && operation(resource, verb);
  if (!match) throw new Error(`There is no ${name} ${verb}.`);
  return match;
}
