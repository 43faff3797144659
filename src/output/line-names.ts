/** Adds names and units to the lines of stock documents. Responses may contain only their IDs. */

import { Failure } from '../base/errors.ts';
import { isObject } from '../base/number-text.ts';
import { apiOf } from '../contract/api.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { findReadableRecords } from '../session/readable-records.ts';
import type { Session } from '../session/session.ts';
import type { ShownRow } from '../terminal/value-at.ts';

/** The maximum number of lines whose names are read. Further lines only have an ID. */
const maxNamedLines = 500;

/** Returns the record with the titles and units of its lines, as far as the token may read them. A failed read is ignored. */
export async function withLineNames(
  session: Session,
  resource: Resource,
  record: ShownRow,
): Promise<ShownRow> {
  const api = apiOf(resource);
  const namedFields: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    const lines = record[name];
    const { amountField, target = '', unitFrom } = field.traits;
    const lineResource = amountField === undefined ? undefined : api.resource(target);
    if (!lineResource || !Array.isArray(lines)) continue;
    const { title = 'name' } = lineResource;
    const unnamedLines = lines.filter(
      (line) => isObject(line) && line[title] === undefined && line.id != null,
    );
    if (unnamedLines.length === 0) continue;
    const ids = unnamedLines.slice(0, maxNamedLines).map((line) => String(line.id));
    const readable = await findReadableRecords(session, lineResource, ids);
    const addedFields = [title, ...(unitFrom ? [unitFrom] : [])];
    namedFields[name] = lines.map((line) => ({
      ...pick(readable.get(String(line?.id)), addedFields),
      ...line,
    }));
  }
  return { ...record, ...namedFields };
}

/**
 * Reads a record again if the response to a write contains only the IDs of related records. Returns undefined if it
 * contains more, or if the record can't be read.
 */
export async function rereadRecord(
  session: Session,
  resource: Resource,
  record: ShownRow,
  relations: readonly string[],
): Promise<ShownRow | undefined> {
  const get = operation(resource, 'get');
  const hasOnlyIdRelations = relations.some(
    (name) => hasOnlyIds(record[name]) || record[`${name}_id`] != null,
  );
  if (!get || !hasOnlyIdRelations || record.id == null) return undefined;
  try {
    const call = { operation: get, ids: [String(record.id)], query: { optional: relations } };
    return (await session.get(call)).record;
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function hasOnlyIds(value: unknown): boolean {
  return [value]
    .flat()
    .some((item) => isObject(item) && Object.keys(item).every((key) => key === 'id' || key === 'pivot'));
}

function pick(record: ShownRow | undefined, names: readonly string[]): ShownRow {
  if (!record) return {};
  return Object.fromEntries(names.filter((name) => record[name] != null).map((name) => [name, record[name]]));
}
