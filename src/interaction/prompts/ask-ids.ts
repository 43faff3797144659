/** Ids that were left out, asked for one after another. */
import { isRow, type Row } from '../../client/shape.ts';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { usage } from '../../errors.ts';
import { search } from '../../terminal/prompts.ts';
import type { Context } from '../context.ts';
import { titleOf } from '../output/wording.ts';
import { type Found, findById, findRecord } from './find-record.ts';

/** All ids of the operation: those given, then those found. */
export async function askIds(
  context: Context,
  operation: Operation,
  given: readonly string[],
): Promise<string[]> {
  const ids = [...given];
  for (const { target } of operation.params.slice(given.length)) {
    const found =
      operation.effect === 'unlink' && ids[0] !== undefined
        ? await findLinked(context, operation, ids[0], target)
        : await findTarget(context, operation, target);
    if (!found) throw usage(`There is no ${context.api.nounOf(target)} to ${actionWord(operation)}.`);
    ids.push(found.id);
  }
  return ids;
}

function findTarget(context: Context, operation: Operation, target: string): Promise<Found | undefined> {
  const resource = context.api.resource(target);
  const message = `Which ${context.api.nounOf(target)} to ${actionWord(operation)}?`;
  return resource?.list
    ? findRecord(context, resource, { message, deleted: operation.effect === 'restore' })
    : findById(context, message);
}

/** What can be unlinked is what the record is linked with. */
async function findLinked(
  context: Context,
  { resource, link }: Operation,
  id: string,
  target: string,
): Promise<Found | undefined> {
  const get = operationOf(resource, 'get');
  const field = link?.field ?? '';
  if (!get) return findById(context, `Which ${context.api.nounOf(target)} to unlink?`);
  const session = await context.session();
  const { record } = await session.get({ operation: get, ids: [id], query: { optional: [field] } });
  const linked = Array.isArray(record[field]) ? record[field].filter(isRow) : [];
  if (linked.length === 0) return undefined;
  const choices = linked.map((row: Row) => {
    const found = { id: String(row.id), label: titleOf(row) };
    return { value: found, label: found.label, description: `id ${found.id}` };
  });
  return search(context.streams, {
    message: `Which ${context.api.nounOf(target)} to unlink?`,
    source: async (term) =>
      choices.filter(({ label }) => label.toLocaleLowerCase().includes(term.toLocaleLowerCase())),
  });
}

function actionWord({ effect, verb }: Operation): string {
  return effect === 'get' ? 'show' : (verb.split('-')[0] ?? verb);
}
