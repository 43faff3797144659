/** The columns of a resource: those that can be chosen, and those of CSV. */

import { type Api, apiOf } from '../../api/contract/api.ts';
import type { Field, Fields } from '../../api/contract/field.ts';
import { type Resource, titleField } from '../../api/contract/resource.ts';
import { type Failure, usage } from '../../base/errors.ts';
import { didYouMean, nearestWord } from '../../base/suggest.ts';
import { type KindPresentation, presentationOf } from '../context/kinds.ts';

/** Returns all columns that can be chosen. Columns of related records have dotted names. */
export function columnNames(resource: Resource): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => {
    if (field.traits.writeOnly) return [];
    const nestedFields =
      field.traits.fields ??
      (isRelation(field) ? apiOf(resource).resource(field.traits.target ?? '')?.fields : undefined);
    const simpleFields = Object.entries(nestedFields ?? {}).filter(
      ([, { kind }]) => kind !== 'one' && kind !== 'many',
    );
    return [name, ...simpleFields.map(([nestedName]) => `${name}.${nestedName}`)];
  });
}

/** Returns the field of a dotted path: `tags.name` is a field of the related resource. */
export function fieldAt(resource: Resource, path: string): Field | undefined {
  let fields: Fields | undefined = resource.fields;
  let field: Field | undefined;
  for (const name of path.split('.')) {
    field = name === 'pivot' ? field : fields?.[name];
    fields =
      name === 'pivot'
        ? field?.traits.pivot
        : (field?.traits.fields ?? apiOf(resource).resource(field?.traits.target ?? '')?.fields);
  }
  return field;
}

/**
 * Throws a usage failure for names that aren't columns. With `allowsOthers`, throws only for probable typos and returns
 * the other names, because services may return fields outside the API document. Only the first part of a name is checked.
 */
export function checkColumns(
  resource: Resource,
  chosen: readonly string[],
  { allowsOthers = false } = {},
): string[] {
  const documented = columnNames(resource);
  const topLevelColumns = Object.entries(resource.fields).flatMap(([name, { kind }]) =>
    // Some services return only the ID of a related record.
    kind === 'one' ? [name, `${name}_id`] : [name],
  );
  const topNames = new Set([...topLevelColumns, ...documented.map((name) => name.split('.')[0] ?? '')]);
  const unknown = chosen.filter((name) => !topNames.has(name.split('.')[0] ?? ''));
  const isRefused = (name: string) => !allowsOthers || nearestWord(name, documented) !== undefined;
  if (unknown.some(isRefused))
    throw unknownColumns(resource, unknown, 'If the service returns it, add --unchecked.');
  return unknown;
}

/** Returns the failure for columns that neither the API document nor a record of the result has. */
export function unknownColumns(resource: Resource, names: readonly string[], hint = ''): Failure {
  const documented = columnNames(resource);
  const lines = names.map(
    (name) => `${resource.command} has no column "${name}".${didYouMean(name, documented)}`,
  );
  return usage(lines.join(' '), { hint: `To list all columns: --columns ? ${hint}`.trim() });
}

/**
 * Returns the columns of CSV if none were chosen. They come from the contract, so that they don't depend on the data.
 * Plain fields come in its order, fields of objects have dotted names, and relations have an ID and, if included, a name.
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
  // Most responses contain these only if the request included them.
  records: (field) => (field.field.traits.includable && !field.isIncluded ? [] : relationColumns(field)),
};

function relationColumns({ api, path, field: { traits }, isIncluded }: CsvField): string[] {
  const { target = '', amountField, fields } = traits;
  // The API document only lists a name as a field of references and nested objects.
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
