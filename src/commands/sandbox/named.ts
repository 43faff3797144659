/** Which sandbox a line is about; the question before one is overwritten, and its lock. */
import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { capital } from '../../contract/capital.ts';
import { confirm } from '../../prompts/terminal/prompts.ts';
import { openSandbox, type Sandbox } from '../../sandbox/service.ts';
import { sandboxFile } from '../../sandbox/store/place.ts';
import { accountPlace } from '../../session/file-owner.ts';
import { openSession } from '../../session/session.ts';
import type { Locks } from '../../storage/lock-queue.ts';
import { lockRun } from '../bulk/lock-run.ts';
import type { WaitFlags } from '../flags/wait-option.ts';

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
  return sandboxFile(context.env, await sandboxName(context, options));
}

/** The sandbox is closed when the work is done, however it ends. */
export async function withSandbox<Result>(
  context: Context,
  options: NamedOptions,
  work: (sandbox: Sandbox) => Result | Promise<Result>,
): Promise<Result> {
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

interface Change {
  /** As it follows "To": `delete the snapshot "monday"`. */
  what: string;
  /** A sentence without its end. */
  loss: string;
}

/** Throws where the answer is no, and where there is nobody to ask. */
export async function confirmChange({ streams, globals }: Context, { what, loss }: Change): Promise<void> {
  if (globals.yes) return;
  if (!streams.interactive) {
    throw usage(`To ${what}, add --yes: ${loss}.`, { hint: 'There is no terminal to ask on.' });
  }
  const message = `${capital(what)}? ${capital(loss)}.`;
  if (!(await confirm(streams, { message }))) throw new Failure('interrupted', 'Nothing was done.');
}

/** Runs over the address of a server are in another account, and not waited for. */
export function lockSandbox(
  { name, command, flags }: { name: string; command: string; flags: WaitFlags },
  context: Context,
): Promise<Locks> {
  const account = async () => ({ place: accountPlace({ sandbox: name, apiPrefix: '' }), key: undefined });
  const resources = context.api.collections.map((resource) => resource.name);
  return lockRun({ account, resources, flags, command }, context);
}
