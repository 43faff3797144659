/** What is there before a write: what is known already, else the record as it is, read once more. */
import { Failure } from '../../base/errors.ts';
import { boh, joinHints } from '../../base/hint.ts';
import { operation } from '../../contract/operation.ts';
import type { OutgoingWrite, WriteReader } from '../../session/observed-writes.ts';
import { attemptsBeforeWrite, beforeSent, isReadRefused } from '../../session/outcome.ts';
import { linksIn, relationsNeeded } from '../../session/record-body.ts';
import type { Call, Row } from '../../session/row.ts';

/** `missing` says why nothing is known of it. */
export interface BeforeImage {
  before: Row | null;
  missing?: string;
}

/** Undefined where it has to be read. */
export function knownImage({ call, facts }: OutgoingWrite, isRead: boolean): BeforeImage | undefined {
  if (!call) return undefined;
  if (call.operation.effect === 'create') return { before: null };
  if (facts.known) return { before: partOf(call, facts.known) };
  return isRead ? undefined : { before: null, missing: 'history.before is off' };
}

/**
 * Throws where the service can't be asked: the write would leave without what was there before. A record that the token
 * may not read, or that isn't there, is written to all the same.
 */
export async function readImage({ call }: OutgoingWrite, reader: WriteReader): Promise<BeforeImage> {
  if (!call) return { before: null, missing: 'boh doesn’t know what this request changes' };
  const get = readable(call);
  if (!get) return { before: null, missing: 'it can’t be read one by one' };
  try {
    const { record } = await reader.get(get);
    return { before: partOf(call, record) };
  } catch (error) {
    if (isReadRefused(error)) return { before: null, missing: error.message };
    throw notRead(error);
  }
}

function notRead(error: unknown): unknown {
  if (!(error instanceof Failure) || error.category !== 'unavailable') return beforeSent(error);
  const { category, message, details } = error;
  return new Failure(category, `${message} The record was to be read before the change: nothing was sent.`, {
    ...details,
    outcome: 'not_sent',
    hint: joinHints(
      '\n',
      details.hint,
      boh.hint`To write without keeping what was there: ${boh.account('config set', 'history.before', 'off')}`,
    ),
  });
}

/** What reads the record that it is about. */
function readable(call: Call): Call | undefined {
  const get = operation(call.operation.resource, 'get');
  const [id] = call.ids ?? [];
  if (!get || id === undefined) return undefined;
  return { operation: get, ids: [id], query: { optional: relationsIn(call) }, attempts: attemptsBeforeWrite };
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

/** Of a record that only a link is set on, that link. The plan of one that was to be made knew no id of it. */
function partOf({ operation: { link }, ids: [own, other] = [] }: Call, record: Row): Row {
  if (!link) return record;
  const links = linksIn(record, link.field)?.filter(({ id }) => String(id) === other);
  return { id: record.id ?? own, [link.field]: links };
}
