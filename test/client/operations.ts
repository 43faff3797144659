/** Operations of real resources, for tests that need one. */
import { type Operation, operation } from '../../src/contract/operation.ts';
import { api } from '../../src/resources/index.ts';

/** `operationOf('suppliers', 'link-item')`. */
export function operationOf(name: (typeof api.collections)[number]['name'], verb: string): Operation {
  const resource = api.resource(name);
  const found = resource && operation(resource, verb);
  if (!found) throw new Error(`There is no ${name} ${verb}.`);
  return found;
}
