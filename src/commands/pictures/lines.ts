/** Lines of documents about records, as pictures need them: read with their documents, the oldest first. */
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { apiOf } from '../../contract/api.ts';
import type { Lines } from '../../contract/picture.ts';
import type { Resource } from '../../contract/resource.ts';
import { wordOf } from '../../contract/text.ts';
import { readRecords, type Wanted } from './picture.ts';

interface DocumentLine {
  /** What the line says. */
  item: string;
  number: number;
  pivot: Row;
  /** What its document says. */
  id: string;
  title: string | null;
  day: string | null;
  isDone: boolean;
  place: { id: string; name: string } | null;
}

export function documentsOf(resource: Resource, { documents }: Lines): Resource {
  const found = apiOf(resource).resource(documents);
  if (!found) throw new Error(`there are no ${documents}`);
  return found;
}

export async function readLines(
  context: Context,
  resource: Resource,
  lines: Lines,
  wanted: Omit<Wanted, 'optional'>,
): Promise<DocumentLine[]> {
  const documents = documentsOf(resource, lines);
  const rows = await readRecords(context, documents, { ...wanted, optional: [lines.place, lines.lines] });
  const names = await namesOf(context, documents, lines.place);
  const { fields, title } = documents;
  const done = fields[lines.done.field];
  return rows.flatMap((row) => {
    const place = row[lines.place] as Row | null | undefined;
    const id = place?.id ?? row[`${lines.place}_id`];
    const told = title === undefined ? null : row[title];
    const day = row[lines.day];
    const document = {
      id: String(row.id),
      title: typeof told === 'string' ? told : null,
      day: typeof day === 'string' ? day.slice(0, 10) : null,
      isDone: done !== undefined && wordOf(done, row[lines.done.field]) === lines.done.is,
      place: id == null ? null : { id: String(id), name: nameOf(place ?? { id }, names) },
    };
    const all = row[lines.lines];
    return (Array.isArray(all) ? (all as Row[]) : []).flatMap((line): DocumentLine[] => {
      const pivot = (line.pivot ?? {}) as Row;
      const number = numberOf(pivot[lines.number]);
      return number === null ? [] : [{ ...document, item: String(line.id), number, pivot }];
    });
  });
}

/** Numbers, or numbers in strings, as the document has both. */
export function numberOf(value: unknown): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

export type Names = ReadonlyMap<string, string>;

/** Those of a field’s target that the account is known to have: the API has no list of branches and the like. */
export async function namesOf(
  { api, session }: Context,
  { fields }: Resource,
  field: string,
): Promise<Names> {
  const target = fields[field]?.traits.target;
  if (target === undefined || !api.reference(target)?.isNamed) return new Map();
  const known = await (await session()).references(target);
  return new Map(known.map(({ id, name }) => [id, name]));
}

export function nameOf(record: Row, names: Names): string {
  const { id, name } = record;
  return typeof name === 'string' && name !== '' ? name : (names.get(String(id)) ?? String(id));
}
