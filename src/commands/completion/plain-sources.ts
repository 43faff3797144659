/** Sources that need only the contract or the disk: columns, files, relations. */

import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { includableAfter } from '../../contract/include.ts';
import type { Resource } from '../../contract/resource.ts';
import { columnsOf } from '../../tables/columns/columns.ts';
import { type Candidate, listOf, type Source, withPrefix, wordsSource } from './candidate.ts';

/** Returns the source of the columns that can identify the rows of an import. */
export function keyColumns(resource: Resource): Source {
  const columns = columnsOf(resource).filter(
    ({ role, isById, field }) => role === 'value' && !isById && !field?.traits.secret,
  );
  return listOf(wordsSource(columns.map(({ name }) => name)));
}

const maxFiles = 500;

/** Completes paths in the typed folder; hidden files only after a dot is typed. */
export const fileNames: Source = (typed) => {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const begun = typed.slice(folder.length);
  const path = folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder || '.';
  const entries = readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')))
    .slice(0, maxFiles);
  return entries.map((entry) => ({ value: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}` }));
};

/** Completes `--data @FILE`. */
export const dataFiles: Source = async (typed) =>
  typed.startsWith('@')
    ? withPrefix('@', await fileNames(typed.slice(1)))
    : [
        { value: '@', about: 'a file' },
        { value: '-', about: 'standard input' },
      ];

/** Completes a path of relations for `--include`, such as `branches.tags`. */
export function includePaths(resource: Resource, typed: string): Candidate[] {
  const head = typed.slice(0, typed.lastIndexOf('.') + 1);
  const prefix = head.split('.').slice(0, -1);
  const names = includableAfter(resource, prefix) ?? [];
  return withPrefix(
    head,
    names.map((value) => ({ value })),
  );
}
