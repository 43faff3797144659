/** A write in the form in which it is kept: without passwords, pins and tokens. */
import type { Api } from '../../contract/api.ts';
import { isSecretName, type Mask, mask, maskOfAll, maskOfFlat } from '../../contract/secret-mask.ts';
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
    target: coveredTarget(target, api),
    body: body === undefined ? null : cover(call?.body ?? JSON.parse(body)),
  };
}

/** A sentence that may quote where the request went. */
export function coveredMessage(message: string, { request: { target } }: OutgoingWrite, api: Api): string {
  const query = target.slice(target.indexOf('?') + 1);
  return target.includes('?') ? message.replaceAll(query, coveredQuery(query, api)) : message;
}

/** The values of secrets in a query; everything else as it goes out. */
function coveredTarget(target: string, api: Api): string {
  const at = target.indexOf('?');
  if (at === -1) return target;
  return `${target.slice(0, at)}?${coveredQuery(target.slice(at + 1), api)}`;
}

function coveredQuery(query: string, api: Api): string {
  const covered = query.split('&').map((pair) => {
    const [name = ''] = pair.split('=');
    return isSecretName(api, decoded(name)) ? `${name}=${mask}` : pair;
  });
  return covered.join('&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
