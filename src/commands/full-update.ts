/** The whole body of an update as the record has it now, for services where PUT replaces. Loaded for `--full`. */
import { isRow, type Row } from '../client/answer.ts';
import { type Operation, operation as operationOf } from '../contract/operation.ts';
import { usage } from '../errors.ts';
import type { Context } from './context.ts';
import { resolveCall } from './resolve.ts';

/** Reads the record, relations included, and keeps what an update takes, in the shape that it takes. */
export async function readCurrent(update: Operation, ids: readonly string[], context: Context): Promise<Row> {
  const get = operationOf(update.resource, 'get');
  if (!get) throw usage(`${update.resource.command} can’t be read one by one, so --full can’t be used.`);
  const client = await context.client();
  const include = update.body.flatMap(({ name, field }) =>
    field.traits.includable ? [field.kind === 'one' ? name.slice(0, -'_id'.length) : name] : [],
  );
  const { record } = await client.get(
    await resolveCall(client, { operation: get, ids, query: { include } }, []),
  );
  return Object.fromEntries(
    update.body.flatMap(({ name, field }) => {
      const value = asSent(record, name, field.traits.amount);
      return value === undefined || field.traits.secret ? [] : [[name, value]];
    }),
  );
}

/** `category` becomes `category_id`, related records become `[{id}]`, with their number where links carry one. */
function asSent(record: Row, name: string, amount: string | undefined): unknown {
  if (name in record && !name.endsWith('_id')) {
    const value = record[name];
    if (!Array.isArray(value) || !value.every(isRow)) return value;
    return value.map(({ id, pivot }) => ({ id, ...(amount && isRow(pivot) && { [amount]: pivot[amount] }) }));
  }
  if (name in record) return record[name];
  const related = name.endsWith('_id') ? record[name.slice(0, -'_id'.length)] : undefined;
  return isRow(related) ? related.id : related;
}
