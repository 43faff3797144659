/** Builds the content of journal entries and outcomes, without passwords, PINs and tokens. */

import type { OutgoingWrite, WriteOutcome } from '../../../account/session/observed-writes.ts';
import { type Call, isRow, type Row } from '../../../account/session/row.ts';
import type { Api } from '../../../api/contract/api.ts';
import { canBeUndone } from '../../../api/contract/irreversible.ts';
import { lightRedactorOf, type Redactor, redactorOfAll } from '../../../api/contract/redaction.ts';
import { redactTarget } from '../../../api/contract/secrets-in-request.ts';
import { parseExactJson } from '../../../base/number-text.ts';
import type { EntryContent, EntryOutcome } from '../journal/entry.ts';
import type { NewEntry, NewOutcome } from '../journal/journal.ts';
import type { BeforeImage } from './before-image.ts';

/** Returns the journal entry of a write that is about to be sent. */
export function entryOf(
  write: OutgoingWrite,
  image: BeforeImage,
  api: Api,
): Omit<NewEntry, 'at' | 'command'> {
  const { call, details } = write;
  const redact = redactorFor(write, api);
  return {
    part: details.part?.name,
    resource: call?.operation.resource.name ?? null,
    verb: call?.operation.verb ?? null,
    fields: fieldsOf(write),
    ids: call?.ids ?? [],
    request: redactedRequest(write, api, redact),
    ...image,
    before: redact(image.before) as Row | null,
  };
}

export function outcomeOf(outcome: WriteOutcome, write: OutgoingWrite, api: Api): Omit<NewOutcome, 'at'> {
  if (outcome.done) {
    const record = outcome.recordResponse?.record;
    const after = isRow(record) ? (redactorFor(write, api)(record) as Row) : null;
    return { outcome: 'done', after, ...(typeof record?.id === 'string' && { id: record.id }) };
  }
  const { category, message, details } = outcome.failure;
  const error = {
    category,
    message: redactedMessage(message, write, api),
    ...(details.status !== undefined && { status: details.status }),
  };
  // The ID belongs to another record: an undo must know that both responses contained it.
  const id = write.call?.operation.effect === 'create' ? details.unexpectedResponse?.id : undefined;
  return {
    outcome: outcomes[details.outcome ?? 'not_sent'],
    after: null,
    error,
    ...(id !== undefined && { id }),
  };
}

const outcomes: Readonly<Record<'not_sent' | 'unknown' | 'done', EntryOutcome>> = {
  not_sent: 'refused',
  unknown: 'unknown',
  done: 'done',
};

/** Returns the outcome of a write that was announced but not sent, or is known not to have been sent. */
export function notSentOutcome(message: string): Omit<NewOutcome, 'at'> {
  return { outcome: 'refused', after: null, error: { category: 'interrupted', message } };
}

export function isUndoable({ call }: OutgoingWrite, { before, missing }: BeforeImage): boolean {
  if (!call || !canBeUndone(call.operation, call.body ?? {}, before ?? undefined)) return false;
  const needsBefore = ['update', 'link', 'unlink'].includes(call.operation.effect);
  return !needsBefore || missing === undefined;
}

function fieldsOf({ call, request: { body } }: OutgoingWrite): string[] {
  if (!call) return body === undefined ? [] : Object.keys(Object(JSON.parse(body)));
  const { effect, link, resource, body: fields } = call.operation;
  if (link) return [link.field];
  if (effect === 'delete' || effect === 'restore')
    return Object.hasOwn(resource.fields, 'deleted_at') ? ['deleted_at'] : [];
  return sentFields(call, fields);
}

function sentFields({ body = {} }: Call, fields: Call['operation']['body']): string[] {
  return Object.keys(body).map((name) => fields.find((entry) => entry.name === name)?.responseName ?? name);
}

function redactorFor({ call }: OutgoingWrite, api: Api): Redactor {
  return call ? lightRedactorOf(call.operation.resource) : redactorOfAll(api);
}

function redactedRequest(
  { call, request: { method, target, body } }: OutgoingWrite,
  api: Api,
  redact: Redactor,
): EntryContent['request'] {
  return {
    method,
    target: redactTarget(api, target, call?.operation.resource),
    body: body === undefined ? null : redact(call?.body ?? parseExactJson(body)),
  };
}

/** Returns a message that may quote the target of the request, without secrets. */
function redactedMessage(message: string, { request: { target } }: OutgoingWrite, api: Api): string {
  return message.replaceAll(target, redactTarget(api, target));
}
