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
    ...resources.flatMap((resource) => problemsOf(resource, resources, new Set(names))),
  ];
}

function problemsOf(
  resource: Resource,
  resources: readonly Resource[],
  names: ReadonlySet<string>,
): string[] {
  const problems: string[] = [];
  const filters = resource.list?.filters.map(({ name }) => name) ?? [];
  const complain = (what: string) => problems.push(`${resource.name}: ${what}`);

  for (const [path, field] of walk(resource.fields)) {
    const { target, inverseOf, amount, pivot, about } = field.traits;
    if (!about) complain(`${path} says nothing about itself`);
    if ((field.kind === 'one' || field.kind === 'many') && !names.has(target ?? '')) {
      complain(`${path} leads to ${target}, which is not there`);
    }
    const other = resources.find(({ name }) => name === target);
    if (inverseOf && !other?.fields[inverseOf]) complain(`${path} is the inverse of nothing`);
    if (amount && !pivot?.[amount]) complain(`${path} has no ${amount} in its pivot`);
  }
  for (const name of resource.key) {
    if (!filters.includes(name)) complain(`key ${name} is no filter`);
  }
  for (const column of resource.columns) {
    if (!resource.fields[column.split('.')[0] ?? '']) complain(`column ${column} is no field`);
  }
  for (const { on = '', name } of resource.list?.filters ?? []) {
    if (on !== '' && !resource.fields[on.split('.')[0] ?? ''])
      complain(`filter ${name} looks at ${on}, which is no field`);
  }
  if (new Set(filters).size !== filters.length) complain('a filter is listed twice');
  for (const { verb, body, params } of operations(resource)) {
    const declared = resource.links?.[verb.replace('link-', '')]?.body.length ?? body.length;
    if (body.length !== declared) complain(`${verb} sends a field that the link doesn't have`);
    for (const { target } of params) {
      if (!names.has(target) && !resource.singleton) complain(`${verb} names ${target}, which is not there`);
    }
  }
  return problems;
}

function* walk(fields: Fields, prefix = ''): Generator<[string, Field]> {
  for (const [name, field] of Object.entries(fields)) {
    yield [prefix + name, field];
    yield* walk({ ...field.traits.pivot, ...field.traits.fields }, `${prefix}${name}.`);
  }
}
