/** A record found at the terminal: typed for, listed by the service, chosen. */
import type { Row } from '../../client/shape.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { Failure } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import { ask, search } from '../../terminal/prompts.ts';
import type { Choice } from '../../terminal/questions.ts';
import type { Context } from '../context.ts';
import { labelOf } from '../output/wording.ts';

export interface Found {
  id: string;
  /** What it is called, for the summary. */
  label: string;
}

export interface FindOptions {
  message: string;
  /** Look among deleted records: for `restore`. */
  deleted?: boolean;
  /** What may be chosen instead of a record, such as "no more". Answers undefined. */
  none?: string;
}

/** Searches as the person types. Where the token may not list, the id itself is asked for. */
export async function findRecord(
  context: Context,
  resource: Resource,
  { message, deleted = false, none }: FindOptions,
): Promise<Found | undefined> {
  const session = await context.session();
  const instead: Choice<undefined>[] = none === undefined ? [] : [{ value: undefined, label: none }];
  try {
    return await search<Found | undefined>(context.streams, {
      message,
      source: async (term) => {
        const rows = await matching(session, resource, term.trim(), deleted);
        return [...(term === '' ? instead : []), ...rows.map((row) => choiceOf(resource, row))];
      },
    });
  } catch (error) {
    if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
    return findById(context, message, none);
  }
}

/** The id itself, for records that can't be listed. */
export async function findById(context: Context, message: string, none?: string): Promise<Found | undefined> {
  const validate = (id: string) => (id.trim() === '' && none === undefined ? 'An id is needed.' : undefined);
  const id = (await ask(context.streams, { message: `${message} (its id)`, validate })).trim();
  return id === '' ? undefined : { id, label: id };
}

/**
 * The first page of what matches. Most lists can be asked for a part of a name; of the others the beginning is read
 * and held against the term here. What is found by neither may still be named exactly: by a sku, a phone, a number.
 */
async function matching(
  session: Session,
  resource: Resource,
  term: string,
  deleted: boolean,
): Promise<Row[]> {
  const read = (filters: Record<string, string>) => firstPage(session, resource, filters, deleted);
  if (term === '') return read({});
  const byPart = resource.filters.find(
    ({ name, match }) => match === 'contains' && resource.key.includes(name),
  );
  const found = byPart
    ? await read({ [byPart.name]: term })
    : (await read({})).filter((row) => folded(labelOf(resource, row)).includes(folded(term)));
  if (found.length > 0) return found;
  for (const name of resource.key.filter((key) => key !== byPart?.name)) {
    const exact = await read({ [name]: term });
    if (exact.length > 0) return exact;
  }
  return [];
}

async function firstPage(
  session: Session,
  resource: Resource,
  filters: Record<string, string>,
  deletedOnly: boolean,
): Promise<Row[]> {
  const list = operation(resource, 'list');
  if (!list) return [];
  const reading = session.list(
    { operation: list, query: { filters } },
    { isFirstPageOnly: true, deletedOnly },
  );
  return Array.fromAsync(reading.rows());
}

function choiceOf(resource: Resource, row: Row): Choice<Found> {
  const id = String(row.id);
  const label = labelOf(resource, row);
  return { value: { id, label }, label, description: `id ${id}` };
}

function folded(text: string): string {
  return text.normalize().toLocaleLowerCase();
}
