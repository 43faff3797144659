/** A write in the form in which it is kept: without passwords, pins and tokens. */

import type { Api } from '../../contract/api.ts';
import { type Mask, maskOfAll, maskOfFlat } from '../../contract/secret-mask.ts';
import { coveredTarget } from '../../contract/secret-request.ts';
import { exactJson } from '../../number-text.ts';
import type { OutgoingWrite } from '../../session/write.ts';
import type { EntryContent } from '../journal/entry.ts';

export function maskFor({ call }: OutgoingWrite, api: Api): Mask {
  return call ? maskOfFlat(call.operation.resource) : maskOfAll(api);
}

export function coveredRequest(
  { call, request: { method, target, body } }: OutgoingWrite,
  api: Api,
  cover: Mask,
): EntryContent['request'] {
  return {
    method,
    target: coveredTarget(api, target, call?.operation.resource),
    body: body === undefined ? null : cover(call?.body ?? exactJson(body)),
  };
}

/** A sentence that may quote where the request went. */
export function coveredMessage(message: string, { request: { target } }: OutgoingWrite, api: Api): string {
  return message.replaceAll(target, coveredTarget(api, target));
}
