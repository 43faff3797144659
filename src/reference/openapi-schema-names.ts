/** What schemas are called in the OpenAPI document: `Customer`, `CustomerCreate`. */

import { type Api, apiOf } from '../contract/api.ts';
import { capital } from '../contract/capital.ts';
import type { Operation } from '../contract/operation.ts';
import type { JsonSchema } from './json-schema.ts';

/** By the name that relations use: `inventory_items` is `InventoryItem`. */
export function recordName(name: string, api: Api): string {
  return capitals(api.nounOf(name));
}

export function inputName({ resource, verb }: Operation): string {
  return recordName(resource.name, apiOf(resource)) + capitals(verb);
}

export function referTo(name: string, api: Api): JsonSchema {
  return { $ref: `#/components/schemas/${recordName(name, api)}` };
}

function capitals(words: string): string {
  return words
    .split(/[-_ ]/)
    .map((word) => capital(word))
    .join('');
}
