/** What is there before a write: what is known already, else the record as it is, read once more. */
import { operation } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import { relationsNeeded } from '../../session/record-body.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Call, OutgoingWrite, WriteReader } from '../../session/write.ts';

/** `missing` says why nothing is known of it. */
export interface BeforeImage {
  before: Row | null;
  missing?: string;
}

/** Never throws but for an interruption: a record that can’t be read is no reason not to write. */
export async function beforeImage(
  { call, told }: OutgoingWrite,
  reader: WriteReader,
  isRead: boolean,
): Promise<BeforeImage> {
  if (!call) return { before: null, missing: 'boh doesn’t know what this request changes' };
  if (call.operation.effect === 'create') return { before: null };
  if (told.known) return { before: partOf(call, told.known) };
  if (!isRead) return { before: null, missing: 'history.before is off' };
  const get = operation(call.operation.resource, 'get');
  const [id] = call.ids ?? [];
  if (!get || id === undefined) return { before: null, missing: 'it can’t be read one by one' };
  try {
    const { record } = await reader.get({
      operation: get,
      ids: [id],
      query: { optional: relationsIn(call) },
    });
    return { before: partOf(call, record) };
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    return { before: null, missing: error.message };
  }
}

/** The relations that tell what the write changes. */
function relationsIn({ operation: write, body = {} }: Call): string[] {
  const { effect, link, resource } = write;
  if (link) return [link.field];
  if (effect === 'update') {
    const given = write.body.filter(({ name }) => Object.hasOwn(body, name));
    return relationsNeeded({ body: given });
  }
  const update = operation(resource, 'update');
  return effect === 'delete' && update ? relationsNeeded(update) : [];
}

/** Of a record that only a link is set on, that link. */
function partOf({ operation: { link }, ids: [, other] = [] }: Call, record: Row): Row {
  if (!link) return record;
  return { id: record.id, [link.field]: linksTo(other, record[link.field]) };
}

function linksTo(other: string | undefined, links: unknown): unknown {
  if (!Array.isArray(links)) return undefined;
  return links.filter((one) => isRow(one) && String(one.id) === other);
}
