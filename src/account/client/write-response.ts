/** Checks the response to a write: whether the write was applied, and whether the response contains its record. */

import { type Operation, operation } from '../../api/contract/operation.ts';
import { redactorOf } from '../../api/contract/redaction.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { Failure } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { shortenValue } from '../../base/short-value.ts';
import type { RequestInfo } from './refusal.ts';
import { type Call, pathFor } from './request.ts';
import {
  acceptedStatus,
  type Envelope,
  jsonOf,
  type RecordResponse,
  recordIn,
  recordOf,
  throwUnlessOk,
  throwUnlessSucceeded,
  unexpectedResponse,
} from './response.ts';
import { isWebPage, parseJson, type Row } from './shape.ts';
import type { HttpResponse } from './transport.ts';

/**
 * Throws unless a write was applied: for an unsuccessful status, for 202, and, if no record is documented, for
 * another record or a web page. Other parts of such a response are ignored, because the API document doesn't describe
 * them.
 */
export function throwUnlessApplied(
  { operation, ids = [] }: Call,
  response: HttpResponse,
  request: RequestInfo,
  envelope: Envelope = 'data',
): void {
  throwUnlessOk(response, request);
  if (response.status === acceptedStatus) {
    const excerpt = excerptOf(response.body, operation.resource, request);
    const message = `The service accepted the request (202) and may apply it later${excerpt && ` (${excerpt})`}.`;
    throw new Failure('unavailable', message, {
      status: response.status,
      request: { method: request.method, path: request.path },
      unexpectedResponse: {},
    });
  }
  if (operation.response !== 'nothing') return;
  throwUnlessSucceeded(response, request);
  const record = recordIn(parseValue(response.body), envelope);
  // A response about a link may contain either of its records.
  if (record && hasOtherId(record, ids))
    throw unexpectedRecord(response, request, describeOtherRecord(record, ids, operation));
  const state = record && unchangedState(record, operation, ids);
  if (state)
    throw unexpectedRecord(response, request, `the ${operation.resource.noun} ${ids[0]} as ${state}`);
}

/** Returns the state of a record that shows that a delete, restore or unlink had no effect. */
function unchangedState(
  record: Row,
  { effect, link }: Operation,
  [, linkedId]: readonly string[],
): string | undefined {
  const { deleted_at: deletedAt } = record;
  if (effect === 'delete' && deletedAt === null) return 'not deleted';
  if (effect === 'restore' && typeof deletedAt === 'string') return 'still deleted';
  const links = link && record[link.field];
  const isLinked = Array.isArray(links) && links.some((other: Row | null) => other?.id === linkedId);
  return isLinked ? 'still linked' : undefined;
}

/** Returns the record of a write. Throws if the response is something else, or another record. */
export function writtenRecordOf(
  { operation, ids = [] }: Call,
  response: HttpResponse,
  request: RequestInfo,
  envelope: Envelope = 'data',
): Row {
  const { resource } = operation;
  const record = recordIn(jsonOf(response, request), envelope);
  if (!record) {
    const excerpt = excerptOf(response.body, resource, request);
    throw unexpectedRecord(response, request, `JSON that contains no record: ${excerpt}`);
  }
  if (idOf(record) === undefined || !isRecordOf(resource, record)) {
    const excerpt = excerptOf(JSON.stringify(record), resource, request);
    throw unexpectedRecord(response, request, `something other than the ${resource.noun}: ${excerpt}`);
  }
  const recordIds = ids.slice(0, 1);
  if (hasOtherId(record, recordIds))
    throw unexpectedRecord(response, request, describeOtherRecord(record, recordIds, operation));
  return record;
}

/** Returns the record of a read. Throws if it is another one: a gateway may have normalized the path. */
export function readRecordOf(
  { operation, ids = [] }: Call,
  response: HttpResponse,
  request: RequestInfo,
  envelope: Envelope = 'data',
): Row {
  const record = recordOf(response, request, envelope);
  if (hasOtherId(record, ids))
    throw unexpectedRecord(response, request, describeOtherRecord(record, ids, operation));
  return record;
}

/** Returns whether a record has an id other than these. Without any of them, every id is valid. */
function hasOtherId(record: Row, ids: readonly string[]): boolean {
  const id = idOf(record)?.toLowerCase();
  return id !== undefined && ids.length > 0 && !ids.some((recordId) => recordId.toLowerCase() === id);
}

/** Returns the ID of a record as a string. The API document has strings, but some services return numbers. */
function idOf({ id }: Row): string | undefined {
  if (typeof id === 'number' || id instanceof Number) return String(id);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Returns whether a record belongs to the resource. A job has an id too, but other fields than the resource. */
function isRecordOf({ fields }: Resource, record: Row): boolean {
  const names = Object.keys(record).filter((name) => name !== 'id');
  return (
    names.length === 0 || names.some((name) => Object.hasOwn(fields, name) || isReferenceId(name, fields))
  );
}

function isReferenceId(name: string, fields: Resource['fields']): boolean {
  return name.endsWith('_id') && Object.hasOwn(fields, name.slice(0, -'_id'.length));
}

function describeOtherRecord(
  record: Row,
  [recordId = '']: readonly string[],
  { resource: { noun } }: Operation,
): string {
  return `the record ${shortenValue(String(record.id))} instead of the ${noun} ${recordId}`;
}

function unexpectedRecord(response: HttpResponse, request: RequestInfo, description: string): Failure {
  const { category, message, details } = unexpectedResponse(response, request, description);
  return new Failure(category, message, { ...details, unexpectedResponse: {} });
}

/** Returns the beginning of a response for a message, with secrets redacted. */
function excerptOf(body: string, resource: Resource, { redact = (text) => text }: RequestInfo): string {
  if (isWebPage(body)) return 'a web page';
  const value = parseValue(body);
  const text =
    value === undefined ? body.trim().replaceAll(/\s+/g, ' ') : JSON.stringify(redactorOf(resource)(value));
  return shortenValue(redact(text), 100);
}

/** Returns the value of a JSON body; undefined if it isn't JSON, or nested too deeply. */
function parseValue(body: string): unknown {
  try {
    return parseJson(body)?.value;
  } catch {
    return undefined;
  }
}

/**
 * Reads the record after a successful write. If the record can't be read, throws an `unreported` failure, which says that
 * the write succeeded.
 */
export async function readWrittenRecord(
  written: Call,
  { headers }: HttpResponse,
  get: (call: Call) => Promise<RecordResponse>,
): Promise<RecordResponse> {
  const { operation: write } = written;
  const { noun, command } = write.resource;
  const id = written.ids?.[0] ?? idFromLocation(headers.location, written);
  const successMessage = `The ${noun} was ${write.pastTense}`;
  const read = operation(write.resource, 'get');
  if (id === undefined || !read) {
    throw unreportedFailure(
      `${successMessage}, but the service didn't return its ID.`,
      boh.hint`To find it: ${boh.account(`${command} list`)}`,
    );
  }
  const include = write.link ? [write.link.field] : undefined;
  const unreadFailure = (reason: string) =>
    unreportedFailure(
      `${successMessage} (${id}), but it could not be read back: ${reason}`,
      boh.hint`To show it: ${boh.account(`${command} get`, id)}`,
    );
  try {
    return await get({ operation: read, ids: [id], ...(include && { query: { include } }) });
  } catch (error) {
    const isUnreported = error instanceof Failure && error.category === 'unreported';
    if (!(error instanceof Failure) || isUnreported || error.category === 'interrupted') throw error;
    throw unreadFailure(error.message);
  }
}

/** Returns the ID in a Location header. The URL itself isn't requested, because it may name another host. */
function idFromLocation(location: string | undefined, { operation: { resource } }: Call): string | undefined {
  const read = operation(resource, 'get');
  if (location === undefined || !read || !URL.canParse(location, 'http://localhost')) return undefined;
  const path = new URL(location, 'http://localhost').pathname.replace(/\/+$/, '');
  const lastPart = path.slice(path.lastIndexOf('/') + 1);
  try {
    const id = decodeURIComponent(lastPart);
    return id !== '' && path.endsWith(pathFor(read, [id])) ? id : undefined;
  } catch {
    return undefined;
  }
}

function unreportedFailure(message: string, hint: Hint): Failure {
  return new Failure('unreported', message, { outcome: 'done', hint });
}
