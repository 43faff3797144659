/** What schemas are called in the OpenAPI document: `Customer`, `CustomerCreate`. */
import type { Operation } from '../contract/operation.ts';
import { resources, whoami } from '../resources/index.ts';
import { references } from '../resources/references.ts';
import type { JsonSchema } from './json-schema.ts';

/** By the name that relations use: `inventory_items` is `InventoryItem`. */
export function recordName(name: string): string {
  const target = [...resources, whoami, ...references].find((candidate) => candidate.name === name);
  if (!target) throw new Error(`${name} is neither a resource nor a reference`);
  return capitals(target.one);
}

export function inputName({ resource, verb }: Operation): string {
  return recordName(resource.name) + capitals(verb);
}

export function referTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${recordName(name)}` };
}

function capitals(words: string): string {
  return words
    .split(/[-_ ]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
