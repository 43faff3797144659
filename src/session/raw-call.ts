/** Bare requests, held to what the contract knows of them. */
import type { RawRequest } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Row } from '../client/shape.ts';
import type { Api } from '../contract/api.ts';

/** The call that a bare request stands for, where the contract knows it. */
export function callAt(api: Api, { method, target, body }: RawRequest): Call | undefined {
  const found = api.operationAt(method, target);
  if (!found) return undefined;
  const [path = '', query = ''] = target.split('?');
  const parts = path.split('/');
  const ids = found.path
    .split('/')
    .flatMap((part, at) => (part.startsWith('{') ? [decoded(parts[at] ?? '')] : []));
  return {
    operation: found,
    ids,
    body: body === undefined ? Object.fromEntries(new URLSearchParams(query)) : rowIn(body),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function rowIn(body: string): Row {
  const value: unknown = JSON.parse(body);
  return typeof value === 'object' && value !== null ? (value as Row) : {};
}
