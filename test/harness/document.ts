/**
 * The document's tables of endpoints: document.txt has a row for each of them, in their order, as METHOD PATH SCOPES
 * NAMES, where the names are a list's filters or a request's fields.
 */
import { readFileSync } from 'node:fs';
import type { Resource } from '../../src/contract/resource.ts';

export const rows = readFileSync(new URL('../contract/document.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

const addresses = new Set(rows.map((row) => row.split(' ')[1]));

/** The document says nothing about a resource that is in none of its rows. */
export function isDocumented({ path }: Pick<Resource, 'path'>): boolean {
  return addresses.has(path);
}
