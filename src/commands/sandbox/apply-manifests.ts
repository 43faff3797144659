/** `--apply PATH` of sandboxes that are served: what files declare is there before anybody asks. */

import { Option } from 'commander';
import { openScratch } from '../../base/scratch.ts';
import type { Context } from '../../context/context.ts';
import { applyAll, refuseFailed } from '../../manifest/apply/apply-all.ts';
import { demandRecords } from '../../manifest/declared/declared.ts';
import { readManifests } from '../../manifest/declared/read-manifests.ts';
import type { Sandbox } from '../../sandbox/service.ts';
import type { Variant } from '../../sandbox/variant.ts';
import { openSession } from '../../session/session.ts';
import { loadSettings } from '../../settings/store.ts';
import { plainCell } from '../../terminal/formats/csv.ts';
import { note } from '../../terminal/messages.ts';
import type { Command } from '../command.ts';

export function addApplyOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--apply <path>',
      'begin with what this file or folder declares, as boh apply has it; may be repeated',
    )
      .argParser((text: string, before: string[]) => [...before, text])
      .default([], 'none'),
  );
}

/** Throws where the files are wrong, or the sandbox refuses something of them. Nothing of the user’s own settings counts. */
export async function applyManifests(
  sandbox: Sandbox,
  paths: readonly string[],
  context: Context,
  { apiPrefix = '', variant = {} }: { apiPrefix?: string; variant?: Partial<Variant> } = {},
): Promise<void> {
  if (paths.length === 0) return;
  const { api, streams, signal } = context;
  const declaration = await readManifests({
    paths,
    api,
    env: context.env,
    stdin: streams.stdin,
    plainCell,
    signal,
  });
  for (const remark of declaration.remarks ?? []) note(streams, remark);
  demandRecords(declaration);
  const scratch = openScratch('apply');
  try {
    const env = { BOH_CONFIG_DIR: scratch.path };
    const session = await sessionOf(sandbox, env, apiPrefix, context, { ...sandbox.settings(), ...variant });
    const applied = await applyAll({
      session,
      declaration,
      env: context.env,
      signal,
      now: () => context.now().getTime(),
    });
    await session.close();
    refuseFailed(applied, `The sandbox doesn’t take all that ${paths.join(', ')} declares`);
    const { length } = declaration.records;
    note(
      streams,
      `${paths.join(', ')}: ${length} ${length === 1 ? 'record is' : 'records are'} there as declared.`,
    );
  } finally {
    scratch.remove();
  }
}

/** The owner’s account in it, with no settings but the usual ones, and what is said of how it answers. */
export async function sessionOf(
  sandbox: Sandbox,
  env: Context['env'],
  apiPrefix: string,
  { api, signal }: Context,
  variant: Partial<Variant> = {},
) {
  const { settings } = await loadSettings({ sandbox: true, apiPrefix }, env);
  const { wire } = settings;
  return openSession({
    api,
    settings: {
      ...settings,
      wire: {
        ...wire,
        envelope: variant['wire.envelope'] ?? wire.envelope,
        deletedFilter: variant['wire.deleted_filter'] ?? wire.deletedFilter,
        pageParam: variant['wire.page_param'] ?? wire.pageParam,
        put: variant['wire.put'] ?? wire.put,
      },
    },
    env,
    signal,
    embedded: async () => ({
      handle: (request, until) => sandbox.answer(request, { signal: until }),
      ownerToken: () => sandbox.ownerToken(),
    }),
  });
}
