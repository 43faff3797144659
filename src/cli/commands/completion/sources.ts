/** Selects the source of candidates for each flag and argument. */
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Option } from 'commander';
import { formatNames } from '../../../account/settings/format-names.ts';
import {
  isSettingName,
  settingDefinitions,
  settingNames,
} from '../../../account/settings/setting-definitions.ts';
import type { Api } from '../../../api/contract/api.ts';
import { isList } from '../../../api/contract/comma-list.ts';
import { keyFields } from '../../../api/contract/composite.ts';
import type { Field } from '../../../api/contract/field.ts';
import type { Filter } from '../../../api/contract/filter.ts';
import { includableAfter, sortableFields } from '../../../api/contract/include.ts';
import { type BodyField, type Operation, operations } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { scopeNames, scopes } from '../../../api/contract/scope.ts';
import { flagName, inputWords } from '../../../api/contract/value-text.ts';
import { listSubjects } from '../../../api/reference/subjects.ts';
import { encodings } from '../../../base/decode-text.ts';
import { columnsOf } from '../../../engine/tables/columns/columns.ts';
import { presentationOf } from '../../context/kinds.ts';
import { columnNames } from '../../output/columns.ts';
import { acceptsSeveralTargets } from '../../prompts/missing-input.ts';
import { ChoiceOption } from '../flags/flag-table.ts';
import { apiMethods } from '../hand-written.ts';
import {
  addPrefix,
  type Candidate,
  type CandidateSource,
  listSource,
  noCandidates,
  wordsSource,
} from './candidate.ts';
import type { PartialCommandLine } from './partial-command-line.ts';

/** Sources that need the configuration, the service or the sandbox. */
export interface ExternalSources {
  api: Api;
  profiles: CandidateSource;
  /** Saved views. If the command line names a resource, only its views. */
  views: CandidateSource;
  /** The runs of this machine, newest first. */
  runs: CandidateSource;
  records(resource: Resource, options: { deleted: boolean }): CandidateSource;
  /** Returns a source of records that the API doesn't list. */
  references(target: string): CandidateSource;
}

/** The candidate sources of a command line. */
export interface Sources {
  forOption(option: Option): CandidateSource;
  /** Returns the source of an argument by its index, from 0. */
  forArgument(index: number): CandidateSource;
}

export function sourcesFor(commandLine: PartialCommandLine, external: ExternalSources): Sources {
  const { operation } = commandLine;
  return {
    forOption: (option) =>
      fieldSource(option, operation, external) ??
      (operation ? undefined : pictureFilterSource(option, commandLine.resource, external)) ??
      pairsSource(option, operation?.resource ?? commandLine.resource, external) ??
      (operation && verbFlagSource(option, operation)) ??
      otherFlagSource(option, commandLine, external),
    forArgument: (index) =>
      operation ? idSource(operation, index, external) : argumentSource(commandLine, index, external),
  };
}

/** Returns the source of a flag that is a field of the body or a filter of a list. */
function fieldSource(
  option: Option,
  operation: Operation | undefined,
  external: ExternalSources,
): CandidateSource | undefined {
  if (operation?.effect === 'list') return filterSource(option, operation.resource, external);
  const field = operation?.body.find(({ name }) => flagsFor(name).includes(option.long ?? ''))?.field;
  if (!field) return undefined;
  const { target } = field.traits;
  return target === undefined ? valueSource(field, false) : relatedSource(field, target, external);
}

/** Returns the source of a filter flag of a picture: a filter of its resource or of its documents. */
function pictureFilterSource(
  option: Option,
  resource: Resource | undefined,
  external: ExternalSources,
): CandidateSource | undefined {
  const { costs, levels } = resource?.pictures ?? {};
  const documents = [costs, levels].map((lines) => lines && external.api.resource(lines.documents));
  const filteredResources = [resource, ...documents].filter((candidate) => candidate !== undefined);
  const sources = filteredResources.map((candidate) => filterSource(option, candidate, external));
  return sources.find((source) => source !== undefined);
}

function filterSource(
  { long = '' }: Option,
  { filters, fields }: Resource,
  external: ExternalSources,
): CandidateSource | undefined {
  const filter = filters.find(({ name }) => flagsFor(name).includes(long));
  return filter && filterValueSource(filter, fields, external);
}

function filterValueSource(
  { value, on }: Filter,
  fields: Resource['fields'],
  external: ExternalSources,
): CandidateSource {
  const target = value.traits.target ?? (on === undefined ? undefined : fields[on]?.traits.target);
  return target === undefined ? valueSource(value, true) : relatedSource(value, target, external);
}

function pairsSource(
  { long }: Option,
  resource: Resource | undefined,
  external: ExternalSources,
): CandidateSource | undefined {
  const acceptsPairs = long === '--where' || long === '--filter';
  return acceptsPairs && resource ? filterPairsSource(resource, external) : undefined;
}

/** Completes `KEY=VALUE`. Each key is a filter, and its values are the values of its filter flag. */
function filterPairsSource({ filters, fields }: Resource, external: ExternalSources): CandidateSource {
  return async (text) => {
    const [, key = ''] = /^([^=]+)=/.exec(text) ?? [];
    const filter = filters.find(({ name }) => name === key);
    if (key === '') return filters.map(({ name }) => ({ value: `${name}=` }));
    if (!filter) return [];
    const prefix = `${key}=`;
    return addPrefix(prefix, await filterValueSource(filter, fields, external)(text.slice(prefix.length)));
  };
}

/** Returns the flag of a field, and `--add-…` and `--remove-…`. */
function flagsFor(name: string): string[] {
  return ['', 'add-', 'remove-'].map((prefix) => `--${prefix}${flagName(name)}`);
}

function relatedSource(field: Field, target: string, external: ExternalSources): CandidateSource {
  const records = recordsSource(target, { deleted: false }, external);
  if (field.kind !== 'many') return records;
  return listSource(field.traits.amountField ? amountSource(records) : records);
}

function recordsSource(
  target: string,
  options: { deleted: boolean },
  { api, records, references }: ExternalSources,
): CandidateSource {
  const resource = api.resource(target);
  if (resource) return records(resource, options);
  return api.reference(target)?.isNamed ? references(target) : noCandidates;
}

/** Completes `ITEM=`; the user types the number. */
function amountSource(records: CandidateSource): CandidateSource {
  return async (text) => {
    if (text.includes('=')) return [];
    const candidates = await records(text);
    const addEquals = (value: string) => (value === '@' ? value : `${value}=`);
    return candidates.map((candidate) => ({ ...candidate, value: addEquals(candidate.value) }));
  };
}

function valueSource(field: Field, isFilter: boolean): CandidateSource {
  const { question } = presentationOf(field);
  if (question === 'yes or no') return wordsSource(['true', 'false']);
  if (question !== 'word' && question !== 'words') return noCandidates;
  const { words = {}, allowed, meanings } = field.traits;
  const numbers = Object.values(words);
  const source = allowed
    ? () => allowed.map((value) => ({ value, ...(meanings?.[value] && { about: meanings[value] }) }))
    : () => inputWords(field).map((value, index) => ({ value, about: String(numbers[index]) }));
  return isFilter || question === 'words' ? listSource(source) : source;
}

function verbFlagSource({ long }: Option, { resource, body }: Operation): CandidateSource | undefined {
  switch (long) {
    case '--columns':
      return listSource(wordsSource(columnNames(resource)));
    case '--include':
      return listSource((text) => includePathCandidates(resource, text));
    case '--sort':
      return listSource(wordsSource(sortableFields(resource).flatMap((name) => [name, `-${name}`])));
    case '--clear':
      return listSource(
        wordsSource(
          body
            .filter(({ field }) => field.traits.nullable || isList(field))
            .map(({ name }) => flagName(name)),
        ),
      );
    case '--key':
      return listSource(wordsSource(keyFieldsOf(resource).map(({ name }) => flagName(name))));
    case '--ask':
      return listSource(
        wordsSource(body.filter(({ field }) => field.traits.secret).map(({ name }) => flagName(name))),
      );
    default:
      return undefined;
  }
}

function keyFieldsOf(resource: Resource): readonly BodyField[] {
  const create = operations(resource).find(({ effect }) => effect === 'create');
  return create ? keyFields(create) : [];
}

function otherFlagSource(
  option: Option,
  { resource, positionals }: PartialCommandLine,
  external: ExternalSources,
): CandidateSource {
  if (option instanceof ChoiceOption) return wordsSource(option.words);
  switch (option.long) {
    case '--key':
      return resource ? keyColumnSource(resource) : noCandidates;
    case '--output':
      return wordsSource(formatNames);
    case '--profile':
      return external.profiles;
    case '--encoding':
      return wordsSource(encodings);
    case '--data':
      return dataFileSource;
    case '--input':
      return wordsSource(verbNames(external.api, positionals[0], ({ body }) => body.length > 0));
    case '--scopes':
      return listSource(scopeSource);
    default:
      return placeholderSource(
        /<([^>]+)>/.exec(option.flags)?.[1] ?? '',
        option.argChoices,
        positionals,
        external,
      );
  }
}

function argumentSource(
  { command, positionals }: PartialCommandLine,
  index: number,
  external: ExternalSources,
): CandidateSource {
  const args = command?.registeredArguments ?? [];
  const lastArgument = args.at(-1);
  const argument = args[index] ?? (lastArgument?.variadic ? lastArgument : undefined);
  if (!argument) return noCandidates;
  if (command?.name() === 'explain') return explainSource(external.api);
  if (command?.name() === 'api') return index === 0 ? wordsSource(apiMethods) : apiPathSource(external.api);
  return placeholderSource(argument.name(), argument.argChoices, positionals, external);
}

/** Returns the source for a placeholder in help, such as `<file>`. */
function placeholderSource(
  name: string,
  choices: readonly string[] | undefined,
  positionals: readonly string[],
  external: ExternalSources,
): CandidateSource {
  if (choices) return wordsSource(choices);
  switch (name) {
    case 'file':
    case 'folder':
    case 'path':
      return fileNameSource;
    case 'run':
      return external.runs;
    case 'profile':
      return external.profiles;
    case 'view':
      return external.views;
    case 'value':
      return settingValueSource(positionals[0] ?? '');
    case 'setting':
      return () => settingNames.map((value) => ({ value, about: settingDefinitions[value].summary }));
    case 'scope':
      return scopeSource;
    case 'verb':
      return wordsSource(verbNames(external.api, positionals[0]));
    case 'resources':
      return listSource(wordsSource(external.api.collections.map(({ command }) => command)));
    case 'resource':
      return () => external.api.resources.map(({ command, summary }) => ({ value: command, about: summary }));
    default: {
      const { api } = external;
      const target = [...api.resources, ...api.references].find(({ one }) => one === name);
      return target ? recordsSource(target.name, { deleted: false }, external) : noCandidates;
    }
  }
}

/** Returns the source of an ID argument. The last argument repeats if the verb takes several records. */
function idSource(operation: Operation, index: number, external: ExternalSources): CandidateSource {
  const { params, effect } = operation;
  const param = params[index] ?? (acceptsSeveralTargets(operation) ? params.at(-1) : undefined);
  return recordsSource(param?.target ?? '', { deleted: effect === 'restore' }, external);
}

/** Returns the source of the columns that can identify the rows of an import. */
function keyColumnSource(resource: Resource): CandidateSource {
  const columns = columnsOf(resource).filter(
    ({ role, isById, field }) => role === 'value' && !isById && !field?.traits.secret,
  );
  return listSource(wordsSource(columns.map(({ name }) => name)));
}

const maxFiles = 500;

/** Completes paths in the folder before the cursor. Suggests hidden files only after a dot. */
const fileNameSource: CandidateSource = (text) => {
  const folder = text.slice(0, text.lastIndexOf('/') + 1);
  const prefix = text.slice(folder.length);
  const path = folder.startsWith('~/') ? join(homedir(), folder.slice(2)) : folder || '.';
  const entries = readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => name.startsWith(prefix) && (prefix !== '' || !name.startsWith('.')))
    .slice(0, maxFiles);
  return entries.map((entry) => ({ value: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}` }));
};

/** Completes `--data @FILE`. */
const dataFileSource: CandidateSource = async (text) =>
  text.startsWith('@')
    ? addPrefix('@', await fileNameSource(text.slice(1)))
    : [
        { value: '@', about: 'a file' },
        { value: '-', about: 'standard input' },
      ];

/** Completes a path of relations for `--include`, such as `branches.tags`. */
function includePathCandidates(resource: Resource, text: string): Candidate[] {
  const pathPrefix = text.slice(0, text.lastIndexOf('.') + 1);
  const prefix = pathPrefix.split('.').slice(0, -1);
  const names = includableAfter(resource, prefix) ?? [];
  return addPrefix(
    pathPrefix,
    names.map((value) => ({ value })),
  );
}

function settingValueSource(name: string): CandidateSource {
  if (!isSettingName(name)) return noCandidates;
  return name === 'scopes'
    ? listSource(scopeSource)
    : wordsSource(settingDefinitions[name].allowedValues ?? []);
}

const scopeSource: CandidateSource = () => scopeNames.map((value) => ({ value, about: scopes[value] }));

/** Completes the paths of resources for `boh api`. */
function apiPathSource({ resources }: Api): CandidateSource {
  return () => resources.map(({ path, summary }) => ({ value: path, about: summary }));
}

/** Completes the names for `boh explain`. Suggests names with dots only after a dot. */
function explainSource(api: Api): CandidateSource {
  return (text) =>
    listSubjects(api)
      .filter(
        ({ name }) =>
          text.includes('.') || !name.includes('.') || scopeNames.some((scopeName) => scopeName === name),
      )
      .map(({ name, about }) => ({ value: name, about }));
}

/** Returns the verbs of a resource, or only those for which `isIncluded` returns true. Empty for an unknown resource. */
function verbNames(
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
