/** Bare requests: permitted, approved and observed like any other write, and sent as they are written. */

import { exactJson } from '../base/number-text.ts';
import type { Answered, Client, RawRequest } from '../client/client.ts';
import type { Call } from '../client/request.ts';
import type { Row } from '../client/shape.ts';
import type { HttpAnswer, HttpRequest } from '../client/transport.ts';
import type { Api } from '../contract/api.ts';
import { isWrite } from '../contract/operation.ts';
import type { ObservedWrites } from './observed-writes.ts';
import type { Loss } from './update-loss.ts';
import type { Updates } from './updates.ts';
import type { ForetoldWrite, WriteReader } from './write.ts';

/** A success, or what would be sent. `loss` is what an update has emptied, where that can be seen. */
export type RawSent =
  | { planned: HttpRequest }
  | { planned?: undefined; answer: HttpAnswer; loss?: Loss | undefined };

export interface RawOptions {
  api: Api;
  apiPrefix: string;
  /** Undefined in a dry run. */
  client(): Promise<Client | undefined>;
  permit(call: Call): Promise<void>;
  foretell(writes: readonly ForetoldWrite[]): Promise<void>;
  approve(): Promise<void>;
  updates(): Promise<Pick<Updates, 'sendAsWritten'>>;
  observed: Pick<ObservedWrites, 'send'>;
}

export async function sendRaw(asked: RawRequest, options: RawOptions): Promise<RawSent> {
  const { permit, foretell, observed } = options;
  const call = callAt(options.api, asked);
  const request = { ...asked, target: options.apiPrefix + asked.target };
  const client = await options.client();
  const changes = call ? isWrite(call.operation) : !['GET', 'HEAD'].includes(asked.method);
  if (!client && changes) await foretell([call ?? {}]);
  if (!client) return { planned: { ...request, headers: {} } };
  if (call) await permit(call);
  const leave = () => client.raw(asked, call?.operation);
  if (!changes) return leave();
  await foretell([call ?? {}]);
  await options.approve();
  const send = (reader?: WriteReader) =>
    observed.send<RawAnswered>({ call, request, told: {} }, leave, reader);
  if (call?.operation.effect !== 'update') return send();
  const updates = await options.updates();
  const { sent, loss } = await updates.sendAsWritten(call, (_, { reader } = {}) => send(reader));
  return { ...sent, loss };
}

type RawAnswered = { answer: HttpAnswer; answered?: Answered | undefined };

/** The call that a bare request stands for, where the contract knows it. */
function callAt(api: Api, { method, target, body }: RawRequest): Call | undefined {
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
  const value = exactJson(body);
  return typeof value === 'object' && value !== null ? (value as Row) : {};
}
