/** A record as the body of an update: for `--full`, where PUT replaces, and for `--edit`. Loaded for these. */
import { isRow, type Row } from '../../client/shape.ts';
import type { Field } from '../../contract/field.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../context.ts';
import { resolveCall } from './resolve.ts';

export interface Current {
  id: string;
  record: Row;
  /** Every field that an update takes and the service shows, in the shape in which it is sent. Never a secret. */
  body: Row;
}

/** Reads the record, relations included. */
export async function readCurrent(
  update: Operation,
  ids: readonly string[],
  context: Context,
): Promise<Current> {
  const get = operationOf(update.resource, 'get');
  if (!get) throw usage(`${update.resource.command} can’t be read one by one.`);
  const client = await context.client();
  const include = update.body.flatMap(({ name, field }) =>
    field.traits.includable ? [relationName(name, field)] : [],
  );
  const call = await resolveCall(client, { operation: get, ids, query: { include } }, []);
  const { record } = await client.get(call);
  return { id: call.ids?.[0] ?? '', record, body: bodyOf(update, record) };
}

export function bodyOf({ body }: Operation, record: Row): Row {
  return Object.fromEntries(
    body.flatMap(({ name, field }) => {
      if (field.traits.secret) return [];
      const value = asSent(field, record[name] ?? record[relationName(name, field)]);
      // What is empty and can't be cleared is left out: there is nothing to say about it.
      return value === undefined || (value === null && !field.traits.nullable) ? [] : [[name, value]];
    }),
  );
}

/** `category_id` stands in answers as `category`. */
function relationName(name: string, { kind }: Field): string {
  return kind === 'one' ? name.replace(/_id$/, '') : name;
}

/** Answers may hold a number as text or 1 for true (see the resources); requests have one form. */
function asSent(field: Field, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  switch (field.kind) {
    case 'one':
      return isRow(value) ? value.id : value;
    case 'many':
      return Array.isArray(value) ? value.filter(isRow).map((link) => linkOf(field, link)) : value;
    case 'boolean':
      return value === true || value === 1 || value === '1';
    case 'integer':
    case 'decimal':
      return typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    case 'numeric_text':
      return String(value);
    default:
      return value;
  }
}

function linkOf({ traits: { amount } }: Field, { id, pivot }: Row): Row {
  return amount && isRow(pivot) ? { id, [amount]: pivot[amount] } : { id };
}
