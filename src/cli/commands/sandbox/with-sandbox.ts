/** Finds, opens and locks the sandbox that a command uses. */

import { existsSync } from 'node:fs';
import { serviceName } from '../../../account/session/account.ts';
import type { Settings } from '../../../account/settings/settings.ts';
import { usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { createTemporaryFolder } from '../../../base/temporary-folder.ts';
import type { Locks } from '../../../engine/runs/ledger/ledger.ts';
import { type Variant, variantNames, variantSettings } from '../../../sandbox/business/settings.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../../sandbox/service.ts';
import { sandboxFile } from '../../../sandbox/store/sandbox-files.ts';
import type { Context } from '../../context/context.ts';
import { lockRun } from '../bulk/ledger.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import type { WaitFlags } from '../flags/shared-flags.ts';

export const nameFlag = [
  '--name <name>',
  'the sandbox (default: BOH_SANDBOX, else the profile\'s, else "default")',
] as const;

/** The flag of commands that also control a running server. */
export const serverFlag = [
  '--name <name>',
  'the sandbox, or the URL of a running server (default: BOH_SANDBOX_URL, BOH_SANDBOX, else the profile\'s, else "default")',
] as const;

export type NamedOptions = FlagsOf<readonly [typeof nameFlag]>;

/** Returns the name of the sandbox: from `--name`, else from `--sandbox` or the profile. */
export async function sandboxName(context: Context, { name }: NamedOptions): Promise<string> {
  if (name !== undefined) return name;
  const { sandbox } = await context.settings();
  return sandbox ?? (context.env.BOH_SANDBOX || 'default');
}

export async function sandboxFileOf(context: Context, options: NamedOptions): Promise<string> {
  return sandboxFile(context.env, await sandboxName(context, options));
}

/** Returns the file of a sandbox. Throws if `--name` names a sandbox that doesn't exist: only `reset` and `serve` create one. */
export async function requireSandboxFile(context: Context, options: NamedOptions): Promise<string> {
  const file = await sandboxFileOf(context, options);
  const { name } = options;
  if (name === undefined || existsSync(file)) return file;
  throw usage(`Sandbox "${name}" not found.`, {
    hint: boh.hint`To create it: ${boh.plain('sandbox reset', '--name', name)}`,
  });
}

/** Opens a sandbox, calls `work` with it, and closes it. */
export async function withSandbox<Result>(
  context: Context,
  options: NamedOptions,
  work: (sandbox: Sandbox) => Result | Promise<Result>,
): Promise<Result> {
  const { api, signal } = context;
  return withSandboxFile({ api, file: await requireSandboxFile(context, options), signal }, work);
}

/** Opens the sandbox of a file, calls `work` with it, and closes it. */
export async function withSandboxFile<Result>(
  options: SandboxOptions,
  work: (sandbox: Sandbox) => Result | Promise<Result>,
): Promise<Result> {
  const sandbox = await openSandbox(options);
  try {
    return await work(sandbox);
  } finally {
    sandbox.close();
  }
}

/** Opens a sandbox for a short write. Waits while another process has locked it. */
export function changeSandbox<Result>(
  context: Context,
  options: NamedOptions,
  work: (sandbox: Sandbox) => Result,
): Promise<Result> {
  const { signal } = context;
  return withSandbox(context, options, (sandbox) => sandbox.whenUnlocked(() => work(sandbox), { signal }));
}

/** Locks all resources of a sandbox. Runs that use the URL of a server count as another account. */
export function lockSandbox(
  { name, command, flags }: { name: string; command: string; flags: WaitFlags },
  context: Context,
): Promise<Locks> {
  const account = async () => ({ service: serviceName({ sandbox: name, apiPrefix: '' }), key: undefined });
  const resources = context.api.collections.map((resource) => resource.name);
  return lockRun({ account, resources, flags, command }, context);
}

/** An empty sandbox for a copy of an account, and what a session in it needs. */
export interface EmptyCopy {
  sandbox: Sandbox;
  folder: string;
  variant: Partial<Variant>;
}

/** Opens an empty sandbox that imitates the deployment of an account, calls `work`, and deletes the sandbox. */
export async function withEmptyCopy<Result>(
  settings: Settings,
  context: Context,
  work: (copy: EmptyCopy) => Promise<Result>,
): Promise<Result> {
  const { api, signal } = context;
  const variant = await variantOf(settings, context);
  const options = { api, file: ':memory:', apiPrefix: settings.apiPrefix, variant, empty: true, signal };
  return withSandboxFile(options, async (sandbox) => {
    const { path: folder, remove } = createTemporaryFolder('rehearsal');
    try {
      return await work({ sandbox, folder, variant });
    } finally {
      remove();
    }
  });
}

/**
 * Returns the variant that imitates the profile's deployment. If the profile names a sandbox, returns the variant of that
 * sandbox, without its rate limit: a rehearsal shouldn't wait. Both accept values that the API document doesn't list,
 * because the account may have them.
 */
async function variantOf({ sandbox: name, wire }: Settings, context: Context): Promise<Partial<Variant>> {
  if (name !== undefined) {
    const file = sandboxFile(context.env, name);
    const sandboxSettings = await withSandboxFile(
      { api: context.api, file, signal: context.signal },
      (sandbox) => sandbox.settings(),
    );
    const copiedNames = variantNames.filter((variantName) => variantName !== 'wire.requests_per_minute');
    const copied = copiedNames.map((variantName) => [variantName, sandboxSettings[variantName]]);
    return { ...Object.fromEntries(copied), 'wire.values': 'any' };
  }
  const pageParam = variantSettings['wire.page_param'].allowed.find((name) => name === wire.pageParam);
  return {
    'wire.envelope': wire.envelope,
    'wire.deleted_filter': wire.deletedFilter,
    'wire.put': wire.put,
    'wire.values': 'any',
    ...(pageParam && { 'wire.page_param': pageParam }),
  };
}
