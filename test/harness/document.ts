/**
 * The tables of endpoints in the API document: document.txt has a row for each endpoint in order, as METHOD PATH
 * SCOPES NAMES, where the names are filters of a list or fields of a request.
 */
import { readFileSync } from 'node:fs';
import type { Resource } from '../../src/contract/resource.ts';

export const rows = readFileSync(new URL('../contract/document.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

const addresses = new Set(rows.map((row) => row.split(' ')[1]));

/** Returns whether any row of the document is about the resource. */
export function isDocumented({ path }: Pick<Resource, 'path'>): boolean {
  return addresses.has(path);
}
