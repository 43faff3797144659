/** Serves the control operations over HTTP, below `/_boh`, to clients with the control token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Category, Failure } from '../../base/errors.ts';
import { formatHint } from '../../base/hint.ts';
import {
  HttpError,
  jsonResponse,
  methodNotAllowed,
  notFound,
  type ServiceResponse,
  unauthenticated,
} from '../http/message.ts';
import { parseJsonBody, parseTarget, refuseEncoded } from '../http/request.ts';
import { readRequest, type ServingOptions, sendError, sendWhole } from '../server/api.ts';
import { controlDocument } from './openapi.ts';
import {
  type ControlledSandbox,
  type ControlOperation,
  controlOperations,
  controlPath,
  hasInputInQuery,
  runOperation,
} from './operations.ts';

/** How long a client may take to send a body, in milliseconds. */
const bodyTimeoutMs = 10_000;

export interface ControlOptions {
  /** The token that clients of the control send. */
  token: string;
  bodyTimeoutMs?: number | undefined;
}

/** Returns the listener for the control of one sandbox. `mount` is the path of its base URL. */
export function controlListener(
  controlled: ControlledSandbox,
  mount: string,
  control: ControlOptions,
  options: Pick<ServingOptions, 'onUnexpectedError'>,
): RequestListener {
  return (incoming, outgoing) => {
    respond(controlled, mount, control, incoming)
      .catch((error) => failureResponse(error) ?? Promise.reject(error))
      .then(
        (response) => sendComplete(response, incoming, outgoing),
        (error) => sendError(error, { incoming, outgoing }, options),
      );
  };
}

/** Sends a response. Ends the connection if the request wasn't read completely. */
function sendComplete(response: ServiceResponse, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const headers = { ...response.headers, ...(!incoming.complete && { connection: 'close' }) };
  sendWhole({ ...response, headers }, { incoming, outgoing });
}

async function respond(
  controlled: ControlledSandbox,
  mount: string,
  control: ControlOptions,
  incoming: IncomingMessage,
): Promise<ServiceResponse> {
  const { method = '', url = '', headers } = incoming;
  requireSameOrigin(headers);
  requireToken(headers.authorization, control.token);
  const { segments, query } = parseTarget(url, mount + controlPath);
  if (method === 'GET' && segments.join('/') === 'openapi.json')
    return jsonResponse(200, controlDocument(mount));
  const { operation, parameters } = findOperation(method, segments);
  const body = hasInputInQuery(operation) ? Object.fromEntries(query) : await readBody(incoming, control);
  const input = { ...body, ...parameters };
  return jsonResponse(
    200,
    await runOperation(operation, { ...controlled, origin: `http://${headers.host}` }, input),
  );
}

/** Refuses requests of pages of another origin, which a browser marks. */
function requireSameOrigin({ origin, host }: IncomingMessage['headers']): void {
  if (origin === undefined || origin === `http://${host}` || origin === `https://${host}`) return;
  throw new HttpError(403, 'Pages of another origin may not control the sandbox.');
}

function requireToken(authorization: string | undefined, token: string): void {
  const expected = digest(`Bearer ${token}`);
  if (!timingSafeEqual(digest(authorization ?? ''), expected)) throw unauthenticated();
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

interface OperationMatch {
  operation: ControlOperation;
  /** The parameters in the path. */
  parameters: Record<string, string>;
}

function findOperation(method: string, segments: readonly string[]): OperationMatch {
  const matches = Object.values<ControlOperation>(controlOperations).flatMap((operation) => {
    const parameters = parametersOf(operation.path.slice(1).split('/'), segments);
    return parameters ? [{ operation, parameters }] : [];
  });
  if (matches.length === 0) throw notFound();
  const match = matches.find(({ operation }) => operation.method === method);
  if (match) return match;
  throw methodNotAllowed(
    method,
    matches.map(({ operation }) => operation.method),
  );
}

function parametersOf(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (name === undefined ? part !== segment : segment === '') return undefined;
    if (name !== undefined) parameters[name] = segment;
  }
  return parameters;
}

async function readBody(
  incoming: IncomingMessage,
  { bodyTimeoutMs: timeoutMs = bodyTimeoutMs }: ControlOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const timer = setTimeout(() => incoming.destroy(), timeoutMs);
  try {
    const { headers, body } = await readRequest(incoming);
    refuseEncoded(headers);
    return parseJsonBody(body);
  } finally {
    clearTimeout(timer);
  }
}

const statuses: Partial<Record<Category, number>> = { usage: 422, not_found: 404, refused: 409 };

/** Returns the response for a failure of an operation; undefined for other errors. */
function failureResponse(error: unknown): ServiceResponse | undefined {
  if (!(error instanceof Failure)) return undefined;
  const status = statuses[error.category];
  const { fields, hint } = error.details;
  if (status === undefined) return undefined;
  return jsonResponse(status, {
    message: error.message,
    ...(fields && { errors: fields }),
    ...(hint !== undefined && { hint: formatHint(hint) }),
  });
}
