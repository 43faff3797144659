/** Reads the lines of documents, such as cost adjustments, for pictures; the oldest document first. */
import { toNumber } from '../../base/number-text.ts';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { apiOf } from '../../contract/api.ts';
import type { PictureLines } from '../../contract/pictures.ts';
import type { Resource } from '../../contract/resource.ts';
import { wordOf } from '../../contract/value-text.ts';
import { type PictureRequest, readAllRecords } from './picture.ts';

/** A line of a document, with the properties of the document that pictures need. */
interface DocumentLine {
  /** The ID of the record that the line is about. */
  item: string;
  /** The quantity or the cost in the line. */
  number: number;
  /** The data of the link between the document and the item. */
  linkFields: Row;
  /** The ID of the document; the fields below are also the document's. */
  id: string;
  title: string | null;
  day: string | null;
  /** Whether the document is in its final state. */
  isDone: boolean;
  branch: { id: string; name: string } | null;
}

/** Returns the resource whose records have the lines. */
export function documentResourceOf(resource: Resource, { documents }: PictureLines): Resource {
  const target = apiOf(resource).resource(documents);
  if (!target) throw new Error(`there are no ${documents}`);
  return target;
}

/** Reads the lines of all documents that match the filters. */
export async function readLines(
  context: Context,
  resource: Resource,
  definition: PictureLines,
  request: Omit<PictureRequest, 'optional'>,
): Promise<DocumentLine[]> {
  const documents = documentResourceOf(resource, definition);
  const rows = await readAllRecords(context, documents, {
    ...request,
    optional: [definition.branch, definition.lines],
  });
  const names = await namesOf(context, documents, definition.branch);
  const { fields, title } = documents;
  const stateField = fields[definition.final.field];
  return rows.flatMap((row) => {
    const branch = row[definition.branch] as Row | null | undefined;
    const id = branch?.id ?? row[`${definition.branch}_id`];
    const name = title === undefined ? null : row[title];
    const day = row[definition.day];
    const document = {
      id: String(row.id),
      title: typeof name === 'string' ? name : null,
      day: typeof day === 'string' ? day.slice(0, 10) : null,
      isDone:
        stateField !== undefined && wordOf(stateField, row[definition.final.field]) === definition.final.word,
      branch: id == null ? null : { id: String(id), name: nameOf(branch ?? { id }, names) },
    };
    const documentLines = row[definition.lines];
    return (Array.isArray(documentLines) ? (documentLines as Row[]) : []).flatMap((line): DocumentLine[] => {
      const linkFields = (line.pivot ?? {}) as Row;
      const number = numberOrNull(linkFields[definition.number]);
      return number === null ? [] : [{ ...document, item: String(line.id), number, linkFields }];
    });
  });
}

/** Returns the value as a number; strings are parsed, because the API document uses both. Null for other values. */
export function numberOrNull(value: unknown): number | null {
  return toNumber(value) ?? null;
}

/** The names of related records, by ID. */
export type NamesById = ReadonlyMap<string, string>;

/** Returns the names of records that the API doesn't list, such as branches. Empty for other fields. */
export async function namesOf(
  { api, session }: Context,
  { fields }: Resource,
  field: string,
): Promise<NamesById> {
  const target = fields[field]?.traits.target;
  if (target === undefined || !api.reference(target)?.isNamed) return new Map();
  const references = await (await session()).names.references(target);
  return new Map(references.map(({ id, name }) => [id, name]));
}

/** Returns the name of a related record, else its ID. */
export function nameOf(record: Row, names: NamesById): string {
  const { id, name } = record;
  return typeof name === 'string' && name !== '' ? name : (names.get(String(id)) ?? String(id));
}
