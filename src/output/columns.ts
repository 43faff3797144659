/** The columns of a resource: those that can be chosen, and those of CSV. */
import { usage } from '../base/errors.ts';
import { didYouMean } from '../base/suggest.ts';
import { type KindPresentation, presentationOf } from '../context/kinds.ts';
import { type Api, apiOf } from '../contract/api.ts';
import type { Field, Fields } from '../contract/field.ts';
import { type Resource, titleField } from '../contract/resource.ts';

/** Returns every column that can be chosen, with dotted ones for what can be included. */
export function columnNames(resource: Resource): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => {
    if (field.traits.writeOnly) return [];
    const inner =
      field.traits.fields ??
      (isRelation(field) ? apiOf(resource).resource(field.traits.target ?? '')?.fields : undefined);
    const simple = Object.entries(inner ?? {}).filter(([, { kind }]) => kind !== 'one' && kind !== 'many');
    return [name, ...simple.map(([below]) => `${name}.${below}`)];
  });
}

/** Throws a usage failure if a column can't exist. Only the first part is checked: services may return more fields. */
export function checkColumns(resource: Resource, chosen: readonly string[]): void {
  const known = columnNames(resource);
  const own = Object.entries(resource.fields).flatMap(([name, { kind }]) =>
    // Some services return only the id of a related record.
    kind === 'one' ? [name, `${name}_id`] : [name],
  );
  const tops = new Set([...own, ...known.map((name) => name.split('.')[0] ?? '')]);
  const wrong = chosen.filter((name) => !tops.has(name.split('.')[0] ?? ''));
  if (wrong.length === 0) return;
  const lines = wrong.map((name) => `${resource.command} has no column "${name}".${didYouMean(name, known)}`);
  throw usage(lines.join(' '), { hint: 'To list all columns: --columns ?' });
}

/**
 * Returns the columns of CSV if none were chosen. They come from the contract, so that they don't depend on the data:
 * plain fields in its order, objects dotted, relations by id and, if included, by name.
 */
export function csvColumns(resource: Resource, include: readonly string[]): string[] {
  const included = new Set(include.map((path) => path.split('.')[0] ?? ''));
  return columnsOf(apiOf(resource), resource.fields, '', included);
}

function columnsOf(api: Api, fields: Fields, prefix: string, included: ReadonlySet<string>): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = prefix + name;
    if (field.isHidden) return [];
    return columns[presentationOf(field).column]({
      api,
      path,
      field,
      included,
      isIncluded: included.has(name),
    });
  });
}

interface CsvField {
  api: Api;
  path: string;
  field: Field;
  included: ReadonlySet<string>;
  isIncluded: boolean;
}

const columns: Readonly<Record<KindPresentation['column'], (field: CsvField) => string[]>> = {
  cell: ({ path }) => [path],
  fields: ({ api, path, field, included }) => columnsOf(api, field.traits.fields ?? {}, `${path}.`, included),
  record: relationColumns,
  // Most of these are only in a response that was asked to include them.
  records: (field) => (field.field.traits.includable && !field.isIncluded ? [] : relationColumns(field)),
};

function relationColumns({ api, path, field: { traits }, isIncluded }: CsvField): string[] {
  const { target = '', amountField, fields } = traits;
  // The document doesn't say which fields references and nested objects have, except a name.
  const title = fields ? titleField(fields) : (api.resource(target) ?? { title: 'name' }).title;
  return [
    `${path}.id`,
    ...(isIncluded && title ? [`${path}.${title}`] : []),
    ...(amountField ? [`${path}.pivot.${amountField}`] : []),
  ];
}

function isRelation({ kind }: Field): boolean {
  return kind === 'one' || kind === 'many';
}
