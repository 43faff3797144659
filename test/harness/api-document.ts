/**
 * Reads the tables of endpoints in the API document. Each row of document.txt is an endpoint: METHOD PATH SCOPES NAMES.
 * The names are filters of a list or fields of a request.
 */
import { readFileSync } from 'node:fs';
import type { Resource } from '../../src/api/contract/resource.ts';

export const endpointRows = readFileSync(new URL('../contract/document.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');

const documentedPaths = new Set(endpointRows.map((row) => row.split(' ')[1]));

/** Returns whether the API document has an endpoint of the resource. */
export function isDocumented({ path }: Pick<Resource, 'path'>): boolean {
  return documentedPaths.has(path);
}
