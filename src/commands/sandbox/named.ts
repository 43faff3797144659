/** Which sandbox a command is about, and opening it. */
import { Option } from 'commander';
import type { Context } from '../../interaction/context.ts';
import type { Sandbox } from '../../sandbox/service.ts';

export interface NamedOptions {
  name?: string;
}

export function nameOption(): Option {
  return new Option(
    '--name <name>',
    'which sandbox (default: BOH_SANDBOX, else that of the profile in use, else "default")',
  );
}

/** The one that commands with `--sandbox` or by the profile in use would ask, unless it is named. */
export async function sandboxName(context: Context, { name }: NamedOptions): Promise<string> {
  if (name !== undefined) return name;
  const { sandbox } = await context.settings();
  return sandbox ?? (context.env.BOH_SANDBOX || 'default');
}

export async function fileOf(context: Context, options: NamedOptions): Promise<string> {
  const { sandboxFile } = await import('../../sandbox/store/place.ts');
  return sandboxFile(context.env, await sandboxName(context, options));
}

/** The sandbox is closed when the work is done, however it ends. */
export async function withSandbox<Result>(
  context: Context,
  options: NamedOptions,
  work: (sandbox: Sandbox) => Result | Promise<Result>,
): Promise<Result> {
  const { openSandbox } = await import('../../sandbox/service.ts');
  const { api, signal } = context;
  const sandbox = await openSandbox({ api, file: await fileOf(context, options), signal });
  try {
    return await work(sandbox);
  } finally {
    sandbox.close();
  }
}

/** The same for work that writes, and is done at once: waits where another process keeps the sandbox. */
export function changeSandbox<Result>(
  context: Context,
  options: NamedOptions,
  work: (sandbox: Sandbox) => Result,
): Promise<Result> {
  const { signal } = context;
  return withSandbox(context, options, (sandbox) => sandbox.whenFree(() => work(sandbox), { signal }));
}

/** An id, or `@NAME` looked up in the sandbox as anywhere else. `target` is a resource or reference by the API's own name. */
export async function idIn(
  sandbox: Sandbox,
  target: string,
  text: string,
  options: NamedOptions,
  context: Context,
): Promise<string> {
  if (!text.startsWith('@')) return text;
  const { openSession } = await import('../../session/session.ts');
  const { api, env, signal } = context;
  const name = await sandboxName(context, options);
  const session = openSession({
    api,
    settings: { ...(await context.settings()), sandbox: name, apiPrefix: '', token: undefined },
    env,
    signal,
    embedded: async () => ({
      handle: (request, until) => sandbox.answer(request, { signal: until }),
      ownerToken: () => sandbox.ownerToken(),
    }),
  });
  return session.idOf(target, text);
}
