/** Defines the sources that need only the contract or the disk: columns, files, relations, scopes, verbs. */

import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Api } from '../../contract/api.ts';
import { includableAfter } from '../../contract/include.ts';
import { type Operation, operations } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { scopeNames, scopes } from '../../contract/scope.ts';
import { listSubjects } from '../../reference/subjects.ts';
import { isSettingName, settingDefinitions } from '../../settings/setting-definitions.ts';
import { columnsOf } from '../../tables/columns/columns.ts';
import {
  addPrefix,
  type Candidate,
  type CandidateSource,
  listSource,
  noCandidates,
  wordsSource,
} from './candidate.ts';

/** Returns the source of the columns that can identify the rows of an import. */
export function keyColumnSource(resource: Resource): CandidateSource {
  const columns = columnsOf(resource).filter(
    ({ role, isById, field }) => role === 'value' && !isById && !field?.traits.secret,
  );
  return listSource(wordsSource(columns.map(({ name }) => name)));
}

const maxFiles = 500;

/** Completes paths in the folder before the cursor. Suggests hidden files only after a dot. */
export const fileNameSource: CandidateSource = (text) => {
  const folder = text.slice(0, text.lastIndexOf('/') + 1);
  const prefix = text.slice(folder.length);
  const path = folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder || '.';
  const entries = readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name.startsWith(prefix) && (prefix !== '' || !name.startsWith('.')))
    .slice(0, maxFiles);
  return entries.map((entry) => ({ value: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}` }));
};

/** Completes `--data @FILE`. */
export const dataFileSource: CandidateSource = async (text) =>
  text.startsWith('@')
    ? addPrefix('@', await fileNameSource(text.slice(1)))
    : [
        { value: '@', about: 'a file' },
        { value: '-', about: 'standard input' },
      ];

/** Completes a path of relations for `--include`, such as `branches.tags`. */
export function includePathCandidates(resource: Resource, text: string): Candidate[] {
  const pathPrefix = text.slice(0, text.lastIndexOf('.') + 1);
  const prefix = pathPrefix.split('.').slice(0, -1);
  const names = includableAfter(resource, prefix) ?? [];
  return addPrefix(
    pathPrefix,
    names.map((value) => ({ value })),
  );
}

/** Returns the source of the values of a setting. */
export function settingValueSource(name: string): CandidateSource {
  if (!isSettingName(name)) return noCandidates;
  return name === 'scopes'
    ? listSource(scopeSource)
    : wordsSource(settingDefinitions[name].allowedValues ?? []);
}

/** Completes scopes. */
export const scopeSource: CandidateSource = () =>
  scopeNames.map((value) => ({ value, about: scopes[value] }));

/** Completes the paths of resources for `boh api`. */
export function apiPathSource({ resources }: Api): CandidateSource {
  return () => resources.map(({ path, summary }) => ({ value: path, about: summary }));
}

/** Completes the names for `boh explain`. Suggests names with dots only after a dot. */
export function explainSource(api: Api): CandidateSource {
  return (text) =>
    listSubjects(api)
      .filter(
        ({ name }) =>
          text.includes('.') || !name.includes('.') || scopeNames.some((scopeName) => scopeName === name),
      )
      .map(({ name, about }) => ({ value: name, about }));
}

/** Returns the verbs of a resource, or only those for which `isIncluded` returns true. Empty for an unknown resource. */
export function verbNames(
  api: Api,
  name: string | undefined,
  isIncluded: (operation: Operation) => boolean = () => true,
): string[] {
  const resource = name === undefined ? undefined : api.findResource(name);
  return resource
    ? operations(resource)
        .filter(isIncluded)
        .map(({ verb }) => verb)
    : [];
}
