/** Names of related records that a record shows by their ids alone: a person knows no item by its id. */
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import { type Answer, answerFor } from './answer.ts';
import { type Found, foundOf } from './record-entries.ts';

/** As many ids as one request takes. */
const mostAtOnce = 50;

/** The answers with names where they can be read, in a request or two for each kind of record; else as they are. */
export async function withNames(
  session: Session,
  { body }: Operation,
  answers: ReadonlyMap<string, Answer>,
): Promise<Map<string, Answer>> {
  const missing = new Map<string, Set<string>>();
  for (const { name, field } of body) {
    for (const { id, label } of answers.get(name)?.found ?? []) {
      if (label !== id || field.traits.target === undefined) continue;
      missing.set(field.traits.target, (missing.get(field.traits.target) ?? new Set()).add(id));
    }
  }
  const known = new Map<string, Found>();
  for (const [target, ids] of missing) {
    for (const found of await readNames(session, target, [...ids])) known.set(found.id, found);
  }
  if (known.size === 0) return new Map(answers);
  return new Map(
    [...answers].map(([name, answer]) => {
      const field = body.find((entry) => entry.name === name)?.field;
      if (!field || !answer.found?.some(({ id }) => known.has(id))) return [name, answer];
      const found = answer.found.map((one) => known.get(one.id) ?? one);
      return [name, answerFor(field, answer.value, undefined, found)];
    }),
  );
}

/** The records behind ids, as far as they can be read. */
export async function readNames(session: Session, target: string, ids: readonly string[]): Promise<Found[]> {
  const resource = session.api.resource(target);
  const list = resource && operationOf(resource, 'list');
  try {
    if (!resource || !list) {
      const known = await session.references(target);
      return known.flatMap(({ id, name }) => (ids.includes(id) ? [{ id, label: name }] : []));
    }
    if (!resource.filters.some(({ name }) => name === 'id')) return [];
    const found: Found[] = [];
    for (let at = 0; at < ids.length; at += mostAtOnce) {
      const filters = { id: ids.slice(at, at + mostAtOnce).join(',') };
      const reading = session.list({ operation: list, query: { filters } }, { limit: mostAtOnce });
      for await (const row of reading.rows()) found.push(foundOf(resource, row));
    }
    return found;
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    return [];
  }
}
