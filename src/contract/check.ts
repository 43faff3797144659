/** The contract held against itself: relations lead somewhere, keys can be looked up, names don't collide. For tests. */
import type { Api } from './api.ts';
import { earlierProblems } from './compared.ts';
import type { Field, Fields } from './field.ts';
import { operations } from './operation.ts';
import { pictureProblems } from './picture-problems.ts';
import type { Resource } from './resource.ts';

/** All that is wrong with an API; empty when it is sound. */
export function contractProblems({ resources, references }: Pick<Api, 'resources' | 'references'>): string[] {
  const names = [...resources.map(({ name }) => name), ...references.map(({ name }) => name)];
  return [
    ...twice(names).map((name) => `${name} is declared twice`),
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

/** Values that decide whether a write is irreversible have to be values of their field, and frozen fields have to exist. */
function valueProblems({ settled = {}, oneWay = {}, frozen = [], fields }: Resource): string[] {
  const deciding = [...Object.entries(settled), ...Object.entries(oneWay)];
  const wrong = deciding.flatMap(([name, values]) => {
    const known = Object.values(fields[name]?.traits.words ?? {});
    return values.filter((value) => !known.includes(value)).map((value) => `${name} is never ${value}`);
  });
  const missing = frozen.filter((name) => !Object.hasOwn(fields, name));
  return [...wrong, ...missing.map((name) => `${name} is frozen and doesn't exist`)];
}

/** What is shown beside the number of a link has to be there. */
function besideProblems(
  path: string,
  { kind, traits }: Field,
  own: Resource,
  target: Resource | undefined,
): string[] {
  const fields = (kind === 'many' ? target : own)?.fields ?? {};
  return [...(traits.beside ?? []), ...(traits.unitFrom ? [traits.unitFrom] : [])]
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${path} shows ${name} beside its number, which is not there`);
}

function fieldProblems(
  resource: Resource,
  resources: readonly Resource[],
  names: ReadonlySet<string>,
): string[] {
  const problems: string[] = [];
  for (const [path, field] of walk(resource.fields)) {
    const { target, inverseOf, amount, pivot, about, required, written, only } = field.traits;
    const isRelation = field.kind === 'one' || field.kind === 'many';
    const other = resources.find(({ name }) => name === target);
    if (!about) problems.push(`${path} says nothing about itself`);
    if (isRelation && !names.has(target ?? ''))
      problems.push(`${path} leads to ${target}, which is not there`);
    if (inverseOf && !other?.fields[inverseOf]) problems.push(`${path} is the inverse of nothing`);
    if (only && !Object.values(other?.fields[only.field]?.traits.words ?? {}).includes(only.value)) {
      problems.push(`${path} takes ${target} whose ${only.field} is ${only.value}, which it never is`);
    }
    if (
      !field.traits.each &&
      (field.kind === 'objects' || (field.kind === 'many' && target === resource.name))
    ) {
      problems.push(`${path} doesn’t say what one of them is called`);
    }
    if (amount && !pivot?.[amount]) problems.push(`${path} has no ${amount} in its pivot`);
    if (required && written !== 'always' && written !== 'at_creation') {
      problems.push(`${path} is required, and no request of creation takes it`);
    }
    problems.push(
      ...besideProblems(path, field, resource, other),
      ...(field.traits.earlier
        ? earlierProblems(path, field.traits.earlier, resource, other?.fields ?? {})
        : []),
      ...limitProblems(path, field, resource.fields),
      ...formProblems(path, field, resource.fields),
    );
  }
  return problems;
}

/** What forms are told of a field. */
function formProblems(path: string, { kind, traits }: Field, fields: Fields): string[] {
  const { usual, words, together, dialCode } = traits;
  return [
    ...(usual !== undefined && words && !Object.values(words).includes(usual as number)
      ? [`${path} is usually ${usual}, which it never is`]
      : []),
    ...(together !== undefined && kind !== 'boolean'
      ? [`${path} is one question with others, and no yes or no`]
      : []),
    ...(dialCode !== undefined && !Object.hasOwn(fields, dialCode)
      ? [`${path} is dialled by ${dialCode}, which is not there`]
      : []),
  ];
}

function limitProblems(path: string, { kind, traits: { limits = [] } }: Field, fields: Fields): string[] {
  const isNumber = kind === 'integer' || kind === 'decimal';
  if (limits.length > 0 && !isNumber) return [`${path} has limits and is no number`];
  return limits.flatMap(({ where, is }) => {
    const words = fields[where]?.traits.words ?? {};
    const strange = is.filter((word) => !Object.hasOwn(words, word));
    return strange.map((word) => `${path} has a limit where ${where} is ${word}, which it never is`);
  });
}

function listProblems({ fields, key, columns, filterRules, filters }: Resource): string[] {
  const names = filters.map(({ name }) => name);
  const isField = (path: string) => Object.hasOwn(fields, path.split('.')[0] ?? '');
  return [
    ...key.filter((name) => !names.includes(name)).map((name) => `key ${name} is no filter`),
    ...columns.filter((column) => !isField(column)).map((column) => `column ${column} is no field`),
    ...filters
      .filter(({ on }) => on !== undefined && !isField(on))
      .map(({ name, on }) => `filter ${name} looks at ${on}, which is no field`),
    ...twice(names).map((name) => `filter ${name} is listed twice`),
    ...Object.keys(filterRules)
      .filter((name) => !names.includes(name))
      .map((name) => `the rule of filter ${name} is for no filter`),
  ];
}

function operationProblems(resource: Resource, names: ReadonlySet<string>): string[] {
  return operations(resource).flatMap(({ verb, link, body, params }) => {
    if (link && !Object.hasOwn(resource.fields, link.field)) {
      return [`${verb} shows ${link.field}, which is no field`];
    }
    return [
      ...twice(body.map(({ name }) => name)).map((name) => `${verb} sends ${name} twice`),
      ...params
        .filter(({ target }) => !names.has(target))
        .map(({ target }) => `${verb} names ${target}, which is not there`),
    ];
  });
}

function twice(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

function* walk(fields: Fields, prefix = ''): Generator<[string, Field]> {
  for (const [name, field] of Object.entries(fields)) {
    yield [prefix + name, field];
    yield* walk({ ...field.traits.pivot, ...field.traits.fields }, `${prefix}${name}.`);
  }
}
