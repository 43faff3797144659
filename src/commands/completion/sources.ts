/** Chooses the source of the values of each flag and argument. */
import type { Option } from 'commander';
import { encodings } from '../../base/encodings.ts';
import { presentationOf } from '../../context/kinds.ts';
import type { Api } from '../../contract/api.ts';
import { keyFields } from '../../contract/composite.ts';
import type { Field } from '../../contract/field.ts';
import type { Filter } from '../../contract/filter.ts';
import { sortable } from '../../contract/include.ts';
import { isList } from '../../contract/list-text.ts';
import { type BodyField, type Operation, operations } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { scopeNames, scopes } from '../../contract/scope.ts';
import { flagName, inputWords } from '../../contract/text.ts';
import { columnNames } from '../../output/columns.ts';
import { takesSeveral } from '../../prompts/missing-input.ts';
import { everySubject } from '../../reference/subjects.ts';
import { isSettingName, settingList, settingNames } from '../../settings/setting-list.ts';
import { formatNames } from '../../terminal/formats/index.ts';
import { ChoiceOption } from '../flags/shared-flags.ts';
import { apiMethods } from '../hand-written.ts';
import { listOf, none, type Source, withPrefix, wordsSource } from './candidate.ts';
import type { Line } from './line.ts';
import { dataFiles, fileNames, includePaths, keyColumns } from './plain-sources.ts';

/** Sources that need the configuration, the service or the sandbox. */
export interface Outside {
  api: Api;
  profiles: Source;
  /** Saved views, only those of the resource of the command line if it has one. */
  views: Source;
  /** Runs of this machine, newest first. */
  runs: Source;
  records(resource: Resource, options: { deleted: boolean }): Source;
  /** Known records that the API has no list of. */
  references(target: string): Source;
}

/** The sources of a command line. */
export interface Sources {
  forOption(option: Option): Source;
  /** Returns the source of an argument by its index, from 0. */
  forArgument(index: number): Source;
}

/** Returns the sources of the values of a command line. */
export function sourcesFor(line: Line, outside: Outside): Sources {
  const { operation } = line;
  return {
    forOption: (option) =>
      ofField(option, operation, outside) ??
      (operation ? undefined : ofFilters(option, line.resource, outside)) ??
      ofPairs(option, operation?.resource ?? line.resource, outside) ??
      (operation && ofVerb(option, operation)) ??
      ofGeneral(option, line, outside),
    forArgument: (index) => (operation ? ofId(operation, index, outside) : ofArgument(line, index, outside)),
  };
}

/** Returns the source of a flag that is a field of the body or a filter of a list. */
function ofField(option: Option, operation: Operation | undefined, outside: Outside): Source | undefined {
  if (operation?.effect === 'list') return ofFilter(option, operation.resource, outside);
  const field = operation?.body.find(({ name }) => flagsFor(name).includes(option.long ?? ''))?.field;
  if (!field) return undefined;
  const { target } = field.traits;
  return target === undefined ? ofValue(field, false) : related(field, target, outside);
}

/** Returns the source of a filter flag of a verb without operation, such as a picture: of its resource or its documents. */
function ofFilters(option: Option, resource: Resource | undefined, outside: Outside): Source | undefined {
  const { costs, levels } = resource?.pictures ?? {};
  const documents = [costs, levels].map((lines) => lines && outside.api.resource(lines.documents));
  const sources = [resource, ...documents].map((it) => it && ofFilter(option, it, outside));
  return sources.find((source) => source !== undefined);
}

/** Returns the source of a flag that is a filter of a resource. */
function ofFilter(
  { long = '' }: Option,
  { filters, fields }: Resource,
  outside: Outside,
): Source | undefined {
  const filter = filters.find(({ name }) => flagsFor(name).includes(long));
  return filter && ofFilterValue(filter, fields, outside);
}

function ofFilterValue({ value, on }: Filter, fields: Resource['fields'], outside: Outside): Source {
  const target = value.traits.target ?? (on === undefined ? undefined : fields[on]?.traits.target);
  return target === undefined ? ofValue(value, true) : related(value, target, outside);
}

function ofPairs({ long }: Option, resource: Resource | undefined, outside: Outside): Source | undefined {
  const takesPairs = long === '--where' || long === '--filter';
  return takesPairs && resource ? filterPairs(resource, outside) : undefined;
}

/** Completes `KEY=VALUE`: the keys are filters, and the values those of the filter's own flag. */
function filterPairs({ filters, fields }: Resource, outside: Outside): Source {
  return async (typed) => {
    const [, key = ''] = /^([^=]+)=/.exec(typed) ?? [];
    const filter = filters.find(({ name }) => name === key);
    if (key === '') return filters.map(({ name }) => ({ value: `${name}=` }));
    if (!filter) return [];
    const head = `${key}=`;
    return withPrefix(head, await ofFilterValue(filter, fields, outside)(typed.slice(head.length)));
  };
}

/** Returns the flag of a field, and `--add-…` and `--remove-…`. */
function flagsFor(name: string): string[] {
  return ['', 'add-', 'remove-'].map((side) => `--${side}${flagName(name)}`);
}

function related(field: Field, target: string, outside: Outside): Source {
  const records = recordsOf(target, { deleted: false }, outside);
  if (field.kind !== 'many') return records;
  return listOf(field.traits.amount ? withAmount(records) : records);
}

function recordsOf(
  target: string,
  options: { deleted: boolean },
  { api, records, references }: Outside,
): Source {
  const resource = api.resource(target);
  if (resource) return records(resource, options);
  return api.reference(target)?.isNamed ? references(target) : none;
}

/** Completes `ITEM=`; the user types the number. */
function withAmount(records: Source): Source {
  return async (typed) => {
    if (typed.includes('=')) return [];
    const found = await records(typed);
    return found.map((it) => (it.value === '@' ? it : { ...it, value: `${it.value}=` }));
  };
}

function ofValue(field: Field, isFilter: boolean): Source {
  const { question } = presentationOf(field);
  if (question === 'yes or no') return wordsSource(['true', 'false']);
  if (question !== 'word' && question !== 'words') return none;
  const { words = {}, allowed, meanings } = field.traits;
  const numbers = Object.values(words);
  const source = allowed
    ? () => allowed.map((value) => ({ value, ...(meanings?.[value] && { about: meanings[value] }) }))
    : () => inputWords(field).map((value, index) => ({ value, about: String(numbers[index]) }));
  return isFilter || question === 'words' ? listOf(source) : source;
}

/** Returns the source of a flag that all verbs of a kind share. */
function ofVerb({ long }: Option, { resource, body }: Operation): Source | undefined {
  switch (long) {
    case '--columns':
      return listOf(wordsSource(columnNames(resource)));
    case '--include':
      return listOf((typed) => includePaths(resource, typed));
    case '--sort':
      return listOf(wordsSource(sortable(resource).flatMap((name) => [name, `-${name}`])));
    case '--clear':
      return listOf(
        wordsSource(
          body
            .filter(({ field }) => field.traits.nullable || isList(field))
            .map(({ name }) => flagName(name)),
        ),
      );
    case '--key':
      return listOf(wordsSource(keysOf(resource).map(({ name }) => flagName(name))));
    case '--ask':
      return listOf(
        wordsSource(body.filter(({ field }) => field.traits.secret).map(({ name }) => flagName(name))),
      );
    default:
      return undefined;
  }
}

function keysOf(resource: Resource): readonly BodyField[] {
  const create = operations(resource).find(({ effect }) => effect === 'create');
  return create ? keyFields(create) : [];
}

function ofGeneral(option: Option, { resource, positionals }: Line, outside: Outside): Source {
  if (option instanceof ChoiceOption) return wordsSource(option.words);
  switch (option.long) {
    case '--key':
      return resource ? keyColumns(resource) : none;
    case '--output':
      return wordsSource(formatNames);
    case '--profile':
      return outside.profiles;
    case '--encoding':
      return wordsSource(encodings);
    case '--data':
      return dataFiles;
    case '--input':
      return wordsSource(verbsOf(outside.api, positionals[0], ({ body }) => body.length > 0));
    case '--scopes':
      return listOf(scopeSource);
    default:
      return ofPlaceholder(
        /<([^>]+)>/.exec(option.flags)?.[1] ?? '',
        option.argChoices,
        positionals,
        outside,
      );
  }
}

function ofArgument({ command, positionals }: Line, index: number, outside: Outside): Source {
  const named = command?.registeredArguments ?? [];
  const last = named.at(-1);
  const argument = named[index] ?? (last?.variadic ? last : undefined);
  if (!argument) return none;
  if (command?.name() === 'explain') return subjects(outside.api);
  if (command?.name() === 'api') return index === 0 ? wordsSource(apiMethods) : apiPaths(outside.api);
  return ofPlaceholder(argument.name(), argument.argChoices, positionals, outside);
}

/** Returns the source for a placeholder in help, such as `<file>`. */
function ofPlaceholder(
  name: string,
  choices: readonly string[] | undefined,
  positionals: readonly string[],
  outside: Outside,
): Source {
  if (choices) return wordsSource(choices);
  switch (name) {
    case 'file':
    case 'folder':
    case 'path':
      return fileNames;
    case 'run':
      return outside.runs;
    case 'profile':
      return outside.profiles;
    case 'view':
      return outside.views;
    case 'value':
      return valuesOfSetting(positionals[0] ?? '');
    case 'setting':
      return () => settingNames.map((value) => ({ value, about: settingList[value].summary }));
    case 'scope':
      return scopeSource;
    case 'verb':
      return wordsSource(verbsOf(outside.api, positionals[0]));
    case 'resources':
      return listOf(wordsSource(outside.api.collections.map(({ command }) => command)));
    case 'resource':
      return () => outside.api.resources.map(({ command, summary }) => ({ value: command, about: summary }));
    default: {
      const { api } = outside;
      const target = [...api.resources, ...api.references].find(({ one }) => one === name);
      return target ? recordsOf(target.name, { deleted: false }, outside) : none;
    }
  }
}

function valuesOfSetting(name: string): Source {
  if (!isSettingName(name)) return none;
  return name === 'scopes' ? listOf(scopeSource) : wordsSource(settingList[name].words ?? []);
}

const scopeSource: Source = () => scopeNames.map((value) => ({ value, about: scopes[value] }));

/** Returns the source of an ID argument; the last one repeats if the verb takes several records. */
function ofId(operation: Operation, index: number, outside: Outside): Source {
  const { params, effect } = operation;
  const param = params[index] ?? (takesSeveral(operation) ? params.at(-1) : undefined);
  return recordsOf(param?.target ?? '', { deleted: effect === 'restore' }, outside);
}

/** Completes the paths of resources for `boh api`. */
function apiPaths({ resources }: Api): Source {
  return () => resources.map(({ path, summary }) => ({ value: path, about: summary }));
}

/** Completes the names for `boh explain`; names with dots only after the first part is typed. */
function subjects(api: Api): Source {
  return (typed) =>
    everySubject(api)
      .filter(
        ({ name }) => typed.includes('.') || !name.includes('.') || scopeNames.some((it) => it === name),
      )
      .map(({ name, about }) => ({ value: name, about }));
}

function verbsOf(
  api: Api,
  name: string | undefined,
  has: (operation: Operation) => boolean = () => true,
): string[] {
  const resource = name === undefined ? undefined : api.findResource(name);
  return resource
    ? operations(resource)
        .filter(has)
        .map(({ verb }) => verb)
    : [];
}
