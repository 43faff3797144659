/** `boh rehearse PATH… --from PROFILE`: what an apply would come to, tried in a sandbox that holds a copy of the account. */
import { Command, Option } from 'commander';
import { openScratch } from '../../bulk/scratch.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Page, Result } from '../../interaction/output/result.ts';
import type { AppliedAll } from '../../manifest/apply/apply-all.ts';
import { changeRecord } from '../../manifest/plan/change.ts';
import { rehearse } from '../../manifest/rehearse.ts';
import type { Event } from '../../sandbox/business/events.ts';
import { addReferences } from '../../sandbox/demo/add-references.ts';
import { openSandbox } from '../../sandbox/service.ts';
import { loadSettings } from '../../settings/load.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import { prepare } from '../prepare.ts';
import { sessionOf } from '../sandbox/apply-manifests.ts';
import { addPaths, declarationOf } from './manifest-flags.ts';
import { planText } from './plan-text.ts';
import { summary } from './show-plan.ts';

export function rehearseCommand(context: Context): Command {
  return addPaths(prepare(new Command('rehearse')))
    .usage('<path...> --from <profile> [flags]')
    .description(
      'Copy what the files touch from an account into a sandbox that is thrown away, apply the files there, and say what ' +
        'was refused and who would have been notified. The account is only read. Exit 6 where something was refused.',
    )
    .addOption(new Option('--from <profile>', 'the account to copy; by default the one in use'))
    .addHelpText('after', '\nExample:\n  boh rehearse opening/ --from production')
    .action(presented(context, (paths: string[], flags: { from?: string }) => run(paths, flags, context)));
}

async function run(paths: readonly string[], { from }: { from?: string }, context: Context): Promise<Result> {
  const { api, env, globals, signal } = context;
  const declaration = await declarationOf(paths, context);
  if (declaration.records.length === 0) throw usage('The files name no record.');
  const settings =
    from === undefined
      ? await context.settings()
      : (await loadSettings({ ...globals, profile: from }, env)).settings;
  const account = await context.sessionFor(settings);
  const sandbox = await openSandbox({ api, file: ':memory:', empty: true, signal });
  const scratch = openScratch('rehearsal');
  try {
    const stage = await sessionOf(sandbox, { BOH_CONFIG_DIR: scratch.path }, '', context);
    let before = 0;
    const applied = await rehearse({
      account,
      stage,
      declaration,
      env,
      signal,
      now: () => context.now().getTime(),
      addReferences: (references) => addReferences(sandbox, references),
      onCopied: (copied) => {
        tellCopied(copied, context);
        before = sandbox.events().at(-1)?.sequence ?? 0;
      },
    });
    await stage.close();
    return resultOf(applied, sandbox.events(before), context);
  } finally {
    sandbox.close();
    scratch.remove();
  }
}

function tellCopied({ results, plan }: AppliedAll, { streams }: Context): void {
  const failed = results.filter(({ outcome }) => outcome !== 'done');
  note(streams, `Copied for the rehearsal: ${plan.declaration.records.length} records.`);
  for (const { key, error } of failed) note(streams, `  not copied: ${key ?? ''}: ${error?.message ?? ''}`);
}

function resultOf({ plan, results }: AppliedAll, events: readonly Event[], context: Context): Result {
  const refused = results
    .filter(({ outcome }) => outcome !== 'done')
    .map(({ resource, key, action, error }) => ({
      resource,
      key,
      action,
      message: error?.message ?? null,
      fields: error?.fields ?? null,
    }));
  if (refused.length > 0) context.exitCode = 6;
  const told = events.map(({ type, branch, users }) => ({
    type,
    branch: branch.name,
    users: users.map(({ name }) => name),
  }));
  const text = (page: Page) => {
    const lines = [
      ...refused.map(({ key, message }) => `refused: ${key ?? ''}: ${message ?? ''}`),
      ...told.map(({ type, branch, users }) => `notified: ${users.join(', ')}: ${type} (${branch})`),
    ];
    return planText(plan.changes, page) + lines.map((line) => `${cleanLine(line)}\n`).join('');
  };
  const end =
    refused.length === 0
      ? 'All of it was taken.'
      : `${refused.length} of ${results.length} changes were refused.`;
  return {
    kind: 'facts',
    facts: { changes: plan.changes.map(changeRecord), refused, notifications: told },
    text,
    remarks: [...plan.remarks, summary(plan), `${end} The account was only read.`],
  };
}
