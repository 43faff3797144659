/** Executes a control operation in a sandbox: over HTTP at the URL of a running server, or in its file. */
import type * as z from 'zod';
import { TransportError } from '../../../account/client/transport.ts';
import { parseBaseUrl } from '../../../account/settings/parse-urls.ts';
import { type Category, Failure, type FieldMessages } from '../../../base/errors.ts';
import {
  type ControlOperation,
  controlPath,
  hasInputInQuery,
  runOperation,
} from '../../../sandbox/control/operations.ts';
import { fileSnapshots } from '../../../sandbox/control/snapshot-store.ts';
import { controlServices } from '../../../testing/apply.ts';
import type { Context } from '../../context/context.ts';
import { type NamedOptions, withSandbox } from './with-sandbox.ts';

/** Executes the operation and returns its output. */
export async function control<Input extends z.ZodType, Output>(
  operation: ControlOperation<Input, Output>,
  input: z.input<Input>,
  options: NamedOptions,
  context: Context,
): Promise<Output> {
  const url = serverUrl(options, context);
  if (url !== undefined) return (await sendOperation(url, operation, input, context)) as Output;
  const { env, signal } = context;
  return withSandbox(context, options, (sandbox) =>
    runOperation(
      operation,
      { sandbox, snapshots: fileSnapshots(sandbox, env, signal), services: controlServices(signal), signal },
      input,
    ),
  );
}

/** Returns the URL of the server that a command controls: from `--name`, or BOH_SANDBOX_URL. Undefined for a file. */
export function serverUrl({ name }: NamedOptions, { env, globals }: Context): string | undefined {
  if (name !== undefined) return /^https?:\/\//i.test(name) ? parseBaseUrl(name) : undefined;
  return env.BOH_SANDBOX_URL && globals.sandbox !== true ? parseBaseUrl(env.BOH_SANDBOX_URL) : undefined;
}

/** The time limit of a control request, in milliseconds: longer than the longest wait for requests. */
const timeoutMs = 90_000;

async function sendOperation(
  url: string,
  operation: ControlOperation,
  input: unknown,
  { env, signal }: Context,
): Promise<unknown> {
  const token = env.BOH_SANDBOX_CONTROL_TOKEN;
  if (!token) {
    throw new Failure('not_signed_in', 'The control of a served sandbox requires its control token.', {
      hint: 'Set BOH_SANDBOX_CONTROL_TOKEN to the control_token that boh sandbox serve -o json prints.',
    });
  }
  const { networkTransport } = await import('../../../account/client/network.ts');
  const values = new Map(Object.entries(input as object).filter(([, value]) => value !== undefined));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = encodeURIComponent(String(values.get(name)));
    values.delete(name);
    return value;
  });
  const isInQuery = hasInputInQuery(operation);
  const query = new URLSearchParams(
    [...values].map(([name, value]): [string, string] => [name, String(value)]),
  );
  const send = networkTransport({ baseUrl: url, timeoutMs, env });
  try {
    const { status, body } = await send(
      {
        method: operation.method,
        target: `${controlPath}${path}${isInQuery && query.size > 0 ? `?${query}` : ''}`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(!isInQuery && { body: JSON.stringify(Object.fromEntries(values)) }),
        isWrite: operation.method !== 'GET',
      },
      signal,
    );
    if (status === 200) return JSON.parse(body);
    throw failureOf(status, body);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    signal.throwIfAborted();
    throw new Failure('unavailable', `${url}: ${error.message}`, { hint: error.hint, cause: error });
  }
}

const categories: Readonly<Record<number, Category>> = {
  401: 'not_signed_in',
  403: 'not_allowed',
  404: 'not_found',
  409: 'refused',
  422: 'usage',
};

/** Returns the failure of an error response, in the words of the server. */
function failureOf(status: number, body: string): Failure {
  const { message, errors, hint } = parseError(body);
  const category = categories[status] ?? 'unavailable';
  return new Failure(category, message ?? `The server answered with the status ${status}.`, {
    status,
    hint,
    ...(errors && { fields: errors }),
  });
}

function parseError(body: string): { message?: string; errors?: FieldMessages; hint?: string } {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
