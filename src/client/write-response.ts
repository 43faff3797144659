/** Checks the answer to a write: whether the write was carried out, and whether the answer contains its record. */
import { Failure } from '../base/errors.ts';
import { boh, type Hint } from '../base/hint.ts';
import { shortenValue } from '../base/short-value.ts';
import { type Operation, operation } from '../contract/operation.ts';
import { redactorOf } from '../contract/redaction.ts';
import type { Resource } from '../contract/resource.ts';
import type { RequestInfo } from './refusal.ts';
import { type Call, pathFor } from './request.ts';
import {
  acceptedStatus,
  type Envelope,
  jsonOf,
  type RecordResponse,
  recordIn,
  throwUnlessOk,
  throwUnlessSucceeded,
  unexpectedResponse,
} from './response.ts';
import { isWebPage, parseJson, type Row } from './shape.ts';
import type { HttpResponse } from './transport.ts';

/**
 * Throws unless a write was carried out: for an unsuccessful status, for 202, and, if no record is documented, for
 * another record or a web page. Other parts of such an answer are ignored, because the document doesn't describe
 * them.
 */
export function throwUnlessApplied(
  { operation, ids = [] }: Call,
  answer: HttpResponse,
  request: RequestInfo,
  envelope: Envelope = 'data',
): void {
  throwUnlessOk(answer, request);
  if (answer.status === acceptedStatus) {
    const excerpt = excerptOf(answer.body, operation.resource, request);
    const message = `The service accepted the request (202) and may carry it out later${excerpt && ` (${excerpt})`}.`;
    throw new Failure('unavailable', message, {
      status: answer.status,
      request: { method: request.method, path: request.path },
      unexpectedResponse: {},
    });
  }
  if (operation.response !== 'nothing') return;
  throwUnlessSucceeded(answer, request);
  const record = recordIn(valueIn(answer.body), envelope);
  // An answer about a link may contain either of its records.
  if (record && isOther(record, ids))
    throw unexpectedRecord(answer, request, otherRecordText(record, ids, operation));
}

/** Returns the record of a write. Throws if the answer is something else, or another record. */
export function writtenRecordOf(
  { operation, ids = [] }: Call,
  answer: HttpResponse,
  request: RequestInfo,
  envelope: Envelope = 'data',
): Row {
  const { resource } = operation;
  const record = recordIn(jsonOf(answer, request), envelope);
  if (!record) {
    const excerpt = excerptOf(answer.body, resource, request);
    throw unexpectedRecord(answer, request, `JSON that contains no record: ${excerpt}`);
  }
  if (textOfId(record) === undefined || !isOf(resource, record)) {
    const excerpt = excerptOf(JSON.stringify(record), resource, request);
    throw unexpectedRecord(answer, request, `something other than the ${resource.noun}: ${excerpt}`);
  }
  const own = ids.slice(0, 1);
  if (isOther(record, own)) throw unexpectedRecord(answer, request, otherRecordText(record, own, operation));
  return record;
}

/** Returns whether a record has an id other than these. Without any of them, every id is valid. */
function isOther(record: Row, ids: readonly string[]): boolean {
  const id = textOfId(record)?.toLowerCase();
  return id !== undefined && ids.length > 0 && !ids.some((own) => own.toLowerCase() === id);
}

/** Returns an id as text: the document has texts, some services send numbers. */
function textOfId({ id }: Row): string | undefined {
  if (typeof id === 'number' || id instanceof Number) return String(id);
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Returns whether a record belongs to the resource. A job has an id too, but other fields than the resource. */
function isOf({ fields }: Resource, record: Row): boolean {
  const names = Object.keys(record).filter((name) => name !== 'id');
  return names.length === 0 || names.some((name) => Object.hasOwn(fields, name) || isIdOf(name, fields));
}

function isIdOf(name: string, fields: Resource['fields']): boolean {
  return name.endsWith('_id') && Object.hasOwn(fields, name.slice(0, -'_id'.length));
}

function otherRecordText(
  record: Row,
  [own = '']: readonly string[],
  { resource: { noun } }: Operation,
): string {
  return `the record ${shortenValue(String(record.id))} instead of the ${noun} ${own}`;
}

function unexpectedRecord(answer: HttpResponse, request: RequestInfo, what: string): Failure {
  const { category, message, details } = unexpectedResponse(answer, request, what);
  return new Failure(category, message, { ...details, unexpectedResponse: {} });
}

/** Returns the beginning of an answer for a sentence, without secrets. */
function excerptOf(body: string, resource: Resource, { redact: hide = (text) => text }: RequestInfo): string {
  if (isWebPage(body)) return 'a web page';
  const value = valueIn(body);
  const text =
    value === undefined ? body.trim().replaceAll(/\s+/g, ' ') : JSON.stringify(redactorOf(resource)(value));
  return shortenValue(hide(text), 100);
}

/** Returns the value of a JSON body; undefined if it isn't JSON, or nested too deeply. */
function valueIn(body: string): unknown {
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
  const id = written.ids?.[0] ?? idIn(headers.location, written);
  const done = `The ${noun} was ${write.pastTense}`;
  const read = operation(write.resource, 'get');
  if (id === undefined || !read) {
    throw unreportedFailure(
      `${done}, but the service didn't return its ID.`,
      boh.hint`To find it: ${boh.account(`${command} list`)}`,
    );
  }
  const include = write.link ? [write.link.field] : undefined;
  const unread = (why: string) =>
    unreportedFailure(
      `${done} (${id}), but it could not be read back: ${why}`,
      boh.hint`To show it: ${boh.account(`${command} get`, id)}`,
    );
  try {
    const answered = await get({ operation: read, ids: [id], ...(include && { query: { include } }) });
    if (isOther(answered.record, [id])) throw unread('The service returned another record.');
    return answered;
  } catch (error) {
    const isUnreported = error instanceof Failure && error.category === 'unreported';
    if (!(error instanceof Failure) || isUnreported || error.category === 'interrupted') throw error;
    throw unread(error.message);
  }
}

/** Returns the id in an address. The address itself isn't requested, because it may name another host. */
function idIn(location: string | undefined, { operation: { resource } }: Call): string | undefined {
  const read = operation(resource, 'get');
  if (location === undefined || !read || !URL.canParse(location, 'http://localhost')) return undefined;
  const path = new URL(location, 'http://localhost').pathname.replace(/\/+$/, '');
  const last = path.slice(path.lastIndexOf('/') + 1);
  try {
    const id = decodeURIComponent(last);
    return id !== '' && path.endsWith(pathFor(read, [id])) ? id : undefined;
  } catch {
    return undefined;
  }
}

function unreportedFailure(message: string, hint: Hint): Failure {
  return new Failure('unreported', message, { outcome: 'done', hint });
}
