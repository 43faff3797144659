/** Checks that a contract is consistent: relations have targets, keys have filters, names are unique. */
import type { Api } from '../../src/api/contract/api.ts';
import type { Field, Fields } from '../../src/api/contract/field.ts';
import { previousRecordFilter } from '../../src/api/contract/filter.ts';
import { operations } from '../../src/api/contract/operation.ts';
import type { Resource } from '../../src/api/contract/resource.ts';
import type { PreviousRecord } from '../../src/api/contract/traits.ts';
import { pictureProblems } from './picture-problems.ts';

/** Returns all problems of an API; empty if it is consistent. */
export function contractProblems({ resources, references }: Pick<Api, 'resources' | 'references'>): string[] {
  const names = [...resources.map(({ name }) => name), ...references.map(({ name }) => name)];
  return [
    ...duplicates(names).map((name) => `${name} is declared twice`),
    ...resources.flatMap((resource) =>
      [
        ...fieldProblems(resource, resources, new Set(names)),
        ...listProblems(resource),
        ...valueProblems(resource),
        ...operationProblems(resource, new Set(names)),
        ...pictureProblems(resource, resources),
      ].map((problem) => `${resource.name}: ${problem}`),
    ),
  ];
}

/** Returns problems of values that make a write irreversible, and of immutable fields that don't exist. */
function valueProblems({
  effectiveWhen = {},
  irreversibleValues = {},
  immutableFields = [],
  fields,
}: Resource): string[] {
  const valuesByField = [...Object.entries(effectiveWhen), ...Object.entries(irreversibleValues)];
  const invalid = valuesByField.flatMap(([name, values]) => {
    const existing = Object.values(fields[name]?.traits.words ?? {});
    return values
      .filter((value) => !existing.includes(value))
      .map((value) => `${name} has no value ${value}`);
  });
  const missing = immutableFields.filter((name) => !Object.hasOwn(fields, name));
  return [...invalid, ...missing.map((name) => `immutable field ${name} doesn't exist`)];
}

/** Returns the missing fields among those that forms show with the number of a link. */
function shownWithProblems(
  path: string,
  { kind, traits }: Field,
  resource: Resource,
  target: Resource | undefined,
): string[] {
  const fields = (kind === 'many' ? target : resource)?.fields ?? {};
  return [...(traits.formContext ?? []), ...(traits.unitFrom ? [traits.unitFrom] : [])]
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${path} is shown with ${name}, which doesn't exist`);
}

function fieldProblems(
  resource: Resource,
  resources: readonly Resource[],
  names: ReadonlySet<string>,
): string[] {
  const problems: string[] = [];
  for (const [path, field] of allFields(resource.fields)) {
    const { target, inverseOf, amountField, pivot, description, required, writable, targetFilter } =
      field.traits;
    const isRelation = field.kind === 'one' || field.kind === 'many';
    const relatedResource = resources.find(({ name }) => name === target);
    if (!description) problems.push(`${path} has no description`);
    if (isRelation && !names.has(target ?? ''))
      problems.push(`${path} refers to ${target}, which doesn't exist`);
    if (inverseOf && !relatedResource?.fields[inverseOf])
      problems.push(`${path} is the inverse of a field that doesn't exist`);
    if (
      targetFilter &&
      !Object.values(relatedResource?.fields[targetFilter.field]?.traits.words ?? {}).includes(
        targetFilter.value,
      )
    ) {
      problems.push(
        `${path} accepts ${target} with ${targetFilter.field} ${targetFilter.value}, which isn't a value of it`,
      );
    }
    if (
      !field.traits.itemName &&
      (field.kind === 'objects' || (field.kind === 'many' && target === resource.name))
    ) {
      problems.push(`${path} has no singular`);
    }
    if (amountField && !pivot?.[amountField]) problems.push(`${path} has no ${amountField} in its pivot`);
    if (required && writable !== 'always' && writable !== 'at_creation') {
      problems.push(`${path} is required, but can't be set at creation`);
    }
    problems.push(
      ...shownWithProblems(path, field, resource, relatedResource),
      ...(field.traits.previous
        ? previousProblems(path, field.traits.previous, resource, relatedResource?.fields ?? {})
        : []),
      ...limitProblems(path, field, resource.fields),
      ...formProblems(path, field, resource.fields),
    );
  }
  return problems;
}

/** Returns the missing fields and filters among those that find the previous record. */
function previousProblems(
  path: string,
  previous: PreviousRecord,
  { fields, filters }: Resource,
  target: Fields,
): string[] {
  const { dateField, difference, filters: conditions = {} } = previous;
  const names = [previous.matchingRelation, dateField];
  return [
    ...names
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => `${path} finds its previous record by ${name}, which doesn't exist`),
    ...(previousRecordFilter(filters, previous)
      ? []
      : [`${path} finds its previous record by ${previous.matchingRelation}, which isn't a filter`]),
    ...Object.keys(conditions)
      .filter((name) => !filters.some((filter) => filter.name === name))
      .map((name) => `${path} finds its previous record by ${name}, which isn't a filter`),
    ...(difference && !Object.hasOwn(target, difference.costField)
      ? [`${path} has its cost in ${difference.costField}, which doesn't exist`]
      : []),
  ];
}

/** Returns the problems of the traits that forms use. */
function formProblems(path: string, { kind, traits }: Field, fields: Fields): string[] {
  const { formDefault, words, formGroup, dialCode } = traits;
  return [
    ...(formDefault !== undefined && words && !Object.values(words).includes(formDefault as number)
      ? [`${path} has the default ${formDefault}, which isn't a value of it`]
      : []),
    ...(formGroup !== undefined && kind !== 'boolean'
      ? [`${path} is grouped with other fields in forms, but isn't a boolean`]
      : []),
    ...(dialCode !== undefined && !Object.hasOwn(fields, dialCode)
      ? [`${path} has its calling code in ${dialCode}, which doesn't exist`]
      : []),
  ];
}

function limitProblems(path: string, { kind, traits: { limits = [] } }: Field, fields: Fields): string[] {
  const isNumber = kind === 'integer' || kind === 'decimal';
  if (limits.length > 0 && !isNumber) return [`${path} has limits, but isn't a number`];
  return limits.flatMap(({ where, words: limitWords }) => {
    const words = fields[where]?.traits.words ?? {};
    const unknown = limitWords.filter((word) => !Object.hasOwn(words, word));
    return unknown.map((word) => `${path} has a limit where ${where} is ${word}, which isn't a value of it`);
  });
}

function listProblems({ fields, key, columns, filterRules, filters }: Resource): string[] {
  const names = filters.map(({ name }) => name);
  const isField = (path: string) => Object.hasOwn(fields, path.split('.')[0] ?? '');
  return [
    ...key.filter((name) => !names.includes(name)).map((name) => `key ${name} isn't a filter`),
    ...columns.filter((column) => !isField(column)).map((column) => `column ${column} isn't a field`),
    ...filters
      .filter(({ on }) => on !== undefined && !isField(on))
      .map(({ name, on }) => `filter ${name} is on ${on}, which isn't a field`),
    ...duplicates(names).map((name) => `filter ${name} is listed twice`),
    ...Object.keys(filterRules)
      .filter((name) => !names.includes(name))
      .map((name) => `filter rule ${name} isn't used by a filter`),
  ];
}

function operationProblems(resource: Resource, names: ReadonlySet<string>): string[] {
  return operations(resource).flatMap(({ verb, link, body, params }) => {
    if (link && !Object.hasOwn(resource.fields, link.field)) {
      return [`${verb} shows ${link.field}, which isn't a field`];
    }
    return [
      ...duplicates(body.map(({ name }) => name)).map((name) => `${verb} sends ${name} twice`),
      ...params
        .filter(({ target }) => !names.has(target))
        .map(({ target }) => `${verb} refers to ${target}, which doesn't exist`),
    ];
  });
}

function duplicates(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function* allFields(fields: Fields, prefix = ''): Generator<[string, Field]> {
  for (const [name, field] of Object.entries(fields)) {
    yield [prefix + name, field];
    yield* allFields({ ...field.traits.pivot, ...field.traits.fields }, `${prefix}${name}.`);
  }
}
