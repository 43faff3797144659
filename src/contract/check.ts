/** The contract held against itself: relations lead somewhere, keys can be looked up, names don't collide. For tests. */
import type { Field, Fields } from './field.ts';
import { operations } from './operation.ts';
import type { Resource } from './resource.ts';

/** All that is wrong with a set of resources; empty when it is sound. `references` are names without endpoints. */
export function contractProblems(resources: readonly Resource[], references: readonly string[]): string[] {
  const names = [...resources.map(({ name }) => name), ...references];
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...repeated.map((name) => `${name} is declared twice`),
    ...resources.flatMap((resource) =>
      [
        ...fieldProblems(resource, resources, new Set(names)),
        ...listProblems(resource),
        ...operationProblems(resource, new Set(names)),
      ].map((problem) => `${resource.name}: ${problem}`),
    ),
  ];
}

function fieldProblems(
  resource: Resource,
  resources: readonly Resource[],
  names: ReadonlySet<string>,
): string[] {
  const problems: string[] = [];
  for (const [path, field] of walk(resource.fields)) {
    const { target, inverseOf, amount, pivot, about } = field.traits;
    const isRelation = field.kind === 'one' || field.kind === 'many';
    const other = resources.find(({ name }) => name === target);
    if (!about) problems.push(`${path} says nothing about itself`);
    if (isRelation && !names.has(target ?? ''))
      problems.push(`${path} leads to ${target}, which is not there`);
    if (inverseOf && !other?.fields[inverseOf]) problems.push(`${path} is the inverse of nothing`);
    if (amount && !pivot?.[amount]) problems.push(`${path} has no ${amount} in its pivot`);
  }
  return problems;
}

function listProblems({ fields, key, columns, filterRules = {}, list }: Resource): string[] {
  const filters = list?.filters ?? [];
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
  const problems: string[] = [];
  for (const { verb, effect, body, params } of operations(resource)) {
    const sent = body.map(({ name }) => name);
    const link = effect === 'link' ? resource.links?.[verb.replace('link-', '')] : undefined;
    if (link && !Object.hasOwn(resource.fields, link.field)) {
      problems.push(`${verb} shows ${link.field}, which is no field`);
      continue;
    }
    const nowhere = link?.body.filter((name) => !sent.includes(name)) ?? [];
    problems.push(
      ...nowhere.map((name) => `${verb} sends ${name}, which the link doesn’t have`),
      ...twice(sent).map((name) => `${verb} sends ${name} twice`),
    );
    for (const { target } of params) {
      if (!names.has(target)) problems.push(`${verb} names ${target}, which is not there`);
    }
    if (effect !== 'create') continue;
    for (const [name, { kind, traits }] of Object.entries(resource.fields)) {
      const isSent = sent.includes(kind === 'one' ? `${name}_id` : name);
      if (traits.required && !isSent) problems.push(`${verb} doesn’t send ${name}, which is required`);
    }
  }
  return problems;
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
