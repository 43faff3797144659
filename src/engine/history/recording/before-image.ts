/** Finds the record before a write: from the details of the write, or by reading it. */

import type { OutgoingWrite, WriteReader } from '../../../account/session/observed-writes.ts';
import { attemptsBeforeWrite, isRefusedRead, markAsNotSent } from '../../../account/session/outcome.ts';
import { linksIn, relationsToInclude } from '../../../account/session/record-body.ts';
import type { Call, Row } from '../../../account/session/row.ts';
import { operation } from '../../../api/contract/operation.ts';
import { Failure } from '../../../base/errors.ts';
import { boh, joinHints } from '../../../base/hint.ts';

/** The record before a write; `missing` says why it isn't known. */
export interface BeforeImage {
  before: Row | null;
  missing?: string;
}

/** Returns the record from the details of the write; undefined if it has to be read. */
export function knownImage({ call, details }: OutgoingWrite, isRead: boolean): BeforeImage | undefined {
  if (!call) return undefined;
  if (call.operation.effect === 'create') return { before: null };
  if (details.recordBefore) return { before: partOf(call, details.recordBefore) };
  return isRead ? undefined : { before: null, missing: 'history.before is off' };
}

/**
 * Reads the record. Throws if the service can't be reached: the write would then be sent without a before image. If the
 * record doesn't exist or the token may not read it, the write continues.
 */
export async function readImage({ call }: OutgoingWrite, reader: WriteReader): Promise<BeforeImage> {
  if (!call) return { before: null, missing: 'the changes of this request are unknown' };
  const get = readCallOf(call);
  if (!get) return { before: null, missing: "it can't be read by ID" };
  try {
    const { record } = await reader.get(get);
    return { before: partOf(call, record) };
  } catch (error) {
    if (isRefusedRead(error)) return { before: null, missing: error.message };
    throw requestFailure(error, 'Records are read before they are changed.', 'history.before');
  }
}

/**
 * Returns the failure of a request that the history needs before a write: nothing is sent. `reason` says why it is needed, and
 * `setting` is the setting that makes it unnecessary.
 */
export function requestFailure(error: unknown, reason: string, setting: string): unknown {
  if (!(error instanceof Failure) || error.category !== 'unavailable') return markAsNotSent(error);
  const { category, message, details } = error;
  return new Failure(category, `${message} ${reason} Nothing was sent.`, {
    ...details,
    outcome: 'not_sent',
    // After another record or a page of a proxy, writing without a check would be dangerous.
    hint: details.unexpectedResponse
      ? details.hint
      : joinHints(
          '\n',
          details.hint,
          boh.hint`To write without it: ${boh.account('config set', setting, 'off')}`,
        ),
  });
}

function readCallOf(call: Call): Call | undefined {
  const get = operation(call.operation.resource, 'get');
  const [id] = call.ids ?? [];
  if (!get || id === undefined) return undefined;
  return {
    operation: get,
    ids: [id],
    query: { optional: relationsIn(call) },
    maxAttempts: attemptsBeforeWrite,
  };
}

/** Returns the relations that show what the write changes. */
function relationsIn({ operation: write, body = {} }: Call): string[] {
  const { effect, link, resource } = write;
  if (link) return [link.field];
  if (effect === 'update') {
    const sentFields = write.body.filter(({ name }) => Object.hasOwn(body, name));
    return relationsToInclude({ body: sentFields });
  }
  const update = operation(resource, 'update');
  return effect === 'delete' && update ? relationsToInclude(update) : [];
}

/**
 * Returns the part of the record that a link write changes. If the record was new in the plan, its ID comes from the
 * call.
 */
function partOf({ operation: { link }, ids: [ownerId, linkedId] = [] }: Call, record: Row): Row {
  if (!link) return record;
  const links = linksIn(record, link.field)?.filter(({ id }) => String(id) === linkedId);
  return { id: record.id ?? ownerId, [link.field]: links };
}
