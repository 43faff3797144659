/** A record as a backup keeps it: what the contract knows of it, relations by their ids, and no secret. */
import type { Api } from '../../contract/api.ts';
import { isKeptByOther } from '../../contract/dependency-order.ts';
import type { Field, Fields } from '../../contract/field.ts';
import { pathsTo } from '../../contract/include.ts';
import { operation, operations } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isRow, type Row } from '../../session/row.ts';

/** Fields that writing the record again needs, by the names of answers: those of requests, and links. */
export function neededFields(api: Api, resource: Resource): string[] {
  const bodies = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
  const written = bodies.filter(
    ({ field }) => !field.isHidden && !field.traits.leftAside && !isKeptByOther(api, field),
  );
  const links = operations(resource).flatMap(({ effect, link }) =>
    effect === 'link' && link ? [link.field] : [],
  );
  return [...new Set([...written.map(({ shown }) => shown), ...links])];
}

/** Those of them that an answer shows only when it is asked to. */
export function neededIncludes(api: Api, resource: Resource): string[] {
  return neededFields(api, resource).flatMap((name) => {
    const field = resource.fields[name];
    return field ? pathsTo(name, field) : [];
  });
}

/** Whether a record says anything of a field. */
export function shows(record: Row, name: string): boolean {
  return Object.hasOwn(record, name) || Object.hasOwn(record, `${name}_id`);
}

export function keptRecord(api: Api, { fields }: Resource, record: Row): Row {
  return keptFields(api, fields, record);
}

function keptFields(api: Api, fields: Fields, row: Row): Row {
  const kept: Row = {};
  for (const [name, field] of Object.entries(fields)) {
    // The other end of a link stands in the other record, and would grow old here.
    if (field.isHidden || isKeptByOther(api, field)) continue;
    const byId = `${name}_id`;
    if (Object.hasOwn(row, name)) kept[name] = keptValue(api, field, row[name]);
    // Some services show a relation to one record by its id alone.
    else if (field.kind === 'one' && Object.hasOwn(row, byId))
      kept[name] = row[byId] === null ? null : { id: row[byId] };
  }
  return kept;
}

function keptValue(api: Api, field: Field, value: unknown): unknown {
  if (Array.isArray(value) && (field.kind === 'many' || field.kind === 'objects'))
    return value.map((item) => keptValue(api, field, item));
  if (!isRow(value)) return value;
  const { fields, pivot } = field.traits;
  if (fields) return keptFields(api, fields, value);
  return {
    id: value.id,
    ...nameOf(api, field, value),
    ...(pivot && isRow(value.pivot) && { pivot: keptFields(api, pivot, value.pivot) }),
  };
}

/** Records that the API has no list of are known by their names alone; others have a file of their own. */
function nameOf(api: Api, { traits: { target = '' } }: Field, { name }: Row): Row {
  return api.reference(target)?.isNamed && typeof name === 'string' ? { name } : {};
}
