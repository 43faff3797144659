/** `--apply PATH` of `sandbox serve` and `sandbox run`: applies files before the first request. */

import { createTemporaryFolder } from '../../base/temporary-folder.ts';
import type { Context } from '../../context/context.ts';
import { applyAll, throwIfFailed } from '../../manifest/apply/apply-all.ts';
import { requireRecords } from '../../manifest/declared/declared.ts';
import { readManifests } from '../../manifest/declared/read-manifests.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import type { Variant } from '../../sandbox/variant.ts';
import type { WriteObserver } from '../../session/observed-writes.ts';
import { Session } from '../../session/session.ts';
import { loadSettings } from '../../settings/store.ts';
import { unescapeFormula } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';
import { repeatable } from '../flags/shared-flags.ts';
import { createEmbedded } from './with-sandbox.ts';

/** Adds the flag `--apply`. */
export function addApplyOption(command: Command): Command {
  return command.addOption(
    repeatable('--apply <path>', 'apply this file or folder first, as boh apply does (repeatable)').default(
      [],
      'none',
    ),
  );
}

/** Applies the files, without the user's settings. Throws if they are invalid or the sandbox rejects a record. */
export async function applyManifests(
  sandbox: Sandbox,
  paths: readonly string[],
  context: Context,
  apiPrefix: string,
): Promise<void> {
  if (paths.length === 0) return;
  const { streams, signal } = context;
  const { api } = sandbox;
  const declaration = await readManifests({
    paths,
    api,
    env: context.env,
    stdin: streams.stdin,
    unescapeFormula,
    signal,
  });
  for (const declarationNote of declaration.notes ?? []) note(streams, declarationNote);
  if (!declaration.errors) requireRecords(declaration);
  const scratch = createTemporaryFolder('apply');
  try {
    const env = { BOH_CONFIG_DIR: scratch.path };
    const session = await openSandboxSession(sandbox, env, apiPrefix, context, sandbox.variant());
    const results = await applyAll({
      session,
      declaration,
      env: context.env,
      signal,
      now: () => context.now().getTime(),
    });
    await session.close();
    throwIfFailed(results, `The sandbox rejected records of ${paths.join(', ')}`);
    const { length } = declaration.records;
    note(
      streams,
      `${paths.join(', ')}: ${length} ${length === 1 ? 'record matches' : 'records match'} the files.`,
    );
  } finally {
    scratch.remove();
  }
}

/** Opens a session in the sandbox as its owner, with default settings and the given wire variant. */
export async function openSandboxSession(
  sandbox: Sandbox,
  env: Context['env'],
  apiPrefix: string,
  { signal }: Context,
  variant: Partial<Variant> = {},
  observers: readonly WriteObserver[] = [],
) {
  const { settings } = await loadSettings({ sandbox: true, apiPrefix }, env);
  const { wire } = settings;
  return new Session({
    api: sandbox.api,
    settings: {
      ...settings,
      wire: {
        ...wire,
        envelope: variant['wire.envelope'] ?? wire.envelope,
        deletedFilter: variant['wire.deleted_filter'] ?? wire.deletedFilter,
        pageParam: variant['wire.page_param'] ?? wire.pageParam,
        put: variant['wire.put'] ?? wire.put,
        redeemMethod: variant['wire.redeem_method'] ?? wire.redeemMethod,
      },
    },
    env,
    signal,
    observers,
    embedded: async () => createEmbedded(sandbox),
  });
}
