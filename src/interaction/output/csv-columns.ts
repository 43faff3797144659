/** The columns of CSV where nobody chose any: from the contract, so that they are the same every day. */
import { type Api, apiOf } from '../../contract/api.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { type Resource, titleIn } from '../../contract/resource.ts';
import { forPeople, type KindForPeople } from '../kinds.ts';

/** All plain fields in the contract's order, objects dotted, relations by id and, where they are included, by name. */
export function csvColumns(resource: Resource, include: readonly string[]): string[] {
  const included = new Set(include.map((path) => path.split('.')[0] ?? ''));
  return columnsOf(apiOf(resource), resource.fields, '', included);
}

function columnsOf(api: Api, fields: Fields, prefix: string, included: ReadonlySet<string>): string[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = prefix + name;
    if (field.isHidden) return [];
    return columns[forPeople(field).column]({ api, path, field, included, isIncluded: included.has(name) });
  });
}

interface Place {
  api: Api;
  path: string;
  field: Field;
  included: ReadonlySet<string>;
  isIncluded: boolean;
}

const columns: Readonly<Record<KindForPeople['column'], (place: Place) => string[]>> = {
  cell: ({ path }) => [path],
  fields: ({ api, path, field, included }) => columnsOf(api, field.traits.fields ?? {}, `${path}.`, included),
  record: relationColumns,
  // An answer has these in full or not at all, as it was asked; some always have them.
  records: (place) => (place.field.traits.includable && !place.isIncluded ? [] : relationColumns(place)),
};

function relationColumns({ api, path, field: { traits }, isIncluded }: Place): string[] {
  const { target = '', amount, fields } = traits;
  // Of references and nested objects, whose answers are not documented, a name is what is known.
  const title = fields ? titleIn(fields) : (api.resource(target) ?? { title: 'name' }).title;
  return [
    `${path}.id`,
    ...(isIncluded && title ? [`${path}.${title}`] : []),
    ...(amount ? [`${path}.pivot.${amount}`] : []),
  ];
}
