/** `boh change rehearse NAME`: applies and reverts a change set in a temporary sandbox with a copy of the account. */
import { join } from 'node:path';
import { accountFolder, accountFromSettings } from '../../../account/session/account.ts';
import type { Settings } from '../../../account/settings/settings.ts';
import { loadSettings } from '../../../account/settings/store.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { once } from '../../../base/once.ts';
import { actionLabels, type ChangeSet, stateLabels } from '../../../engine/changes/change-set.ts';
import type { ChangeSets } from '../../../engine/changes/change-sets.ts';
import { acceptOwnWrites } from '../../../engine/changes/own-writes.ts';
import { type AccountCopy, rehearseSet } from '../../../engine/changes/rehearsal.ts';
import { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import { recordRowDigest } from '../../../engine/runs/ledger/saved-plan.ts';
import { addRecords } from '../../../sandbox/demo/from-contract.ts';
import type { Sandbox } from '../../../sandbox/service.ts';
import { openSandboxSession } from '../../../testing/session.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { openHistory } from '../history/open-history.ts';
import { createRecorder } from '../history/recording.ts';
import { readLintScope, runLint } from '../lint.ts';
import { withEmptyCopy } from '../sandbox/with-sandbox.ts';
import { requireChangeSets } from './open-sets.ts';
import { createHost } from './run.ts';
import { changeSetToJson, conflictsToJson, describeConflict, joinLines, readPlannedChanges } from './show.ts';

export function rehearseCommand(context: Context): Command {
  return createCommand(context, {
    name: 'rehearse',
    summary: 'Try a change set in a copy of the account',
    about:
      'Try a change set in a temporary sandbox with a copy of the affected records: apply it at its start time, check the records with ' +
      'boh lint, revert it at its end time, and compare all fields with the earlier values. The account is only read. Exits with 6 if ' +
      'a request would be refused, or if a value would differ afterwards.',
    args: [['<name>', 'the name of the change set']],
    examples: ['boh change rehearse ramadan'],
    run: ([name]) => run(name, context),
  });
}

async function run(name: string, context: Context): Promise<Result> {
  const sets = await requireChangeSets(context);
  const set = sets.get(name);
  if (set.state !== 'planned')
    throw usage(
      `Change set ${name} is ${stateLabels[set.state]}: only a scheduled change set can be rehearsed.`,
    );
  const settings = await context.settings();
  return withEmptyCopy(settings, context, async ({ sandbox, folder }) => {
    const changes = await readPlannedChanges(set, sets, context);
    const planFile = join(folder, 'plan.sqlite');
    await copyPlan(set, planFile, sets, context);
    const copy = await openSandboxCopy(sandbox, folder, settings, context);
    const { reports, findings, differentFields, comparedFieldCount } = await rehearseSet(
      set,
      planFile,
      await context.session(),
      copy,
    );
    const conflicts = sets.conflicts(set);
    const isSuccessful = reports.every(({ outcome }) => outcome === 'done') && differentFields.length === 0;
    if (!isSuccessful) context.exitCode = 6;
    const lines = [
      ...changes.map(({ line }) => line),
      ...reports.flatMap(({ act, message, left }) => [
        `${actionLabels[act]}: ${message}`,
        ...left.map((line) => `  ${line}`),
      ]),
      ...findings.map((finding) => `lint: ${finding}`),
      ...differentFields.map((field) => `not restored: ${field}`),
      ...conflicts.map(
        (conflict) => `conflict of ${name} with ${conflict.otherSet.name}: ${describeConflict(conflict)}`,
      ),
    ];
    return {
      kind: 'data',
      data: {
        ...changeSetToJson(set, context.now().getTime()),
        changes: changes.map(({ row }) => row),
        reports,
        findings,
        not_as_before: differentFields,
        conflicts: conflictsToJson(conflicts),
      },
      text: joinLines(lines),
      notes: [
        set.endsAt === null || !isSuccessful
          ? 'The account was only read.'
          : `After the end, all ${comparedFieldCount} fields of the affected resources have their earlier values. The account was only read.`,
      ],
    };
  });
}

/** Copies the plan and updates it as the start of the set would: the copy has no history of the values that other sets wrote. */
async function copyPlan(set: ChangeSet, planFile: string, sets: ChangeSets, context: Context): Promise<void> {
  const journal = await openHistory(context);
  const ledger = new Ledger(planFile);
  try {
    sets.withPlan(set, (plan) => plan.copyTo(ledger));
    if (journal) acceptOwnWrites(ledger, journal, sets);
    recordRowDigest(ledger);
  } finally {
    ledger.close();
    journal?.close();
  }
}

/** Returns an empty copy of the account in the sandbox, with its own files and a clock that can be set. */
async function openSandboxCopy(
  sandbox: Sandbox,
  folder: string,
  { apiPrefix, wire }: Settings,
  context: Context,
): Promise<AccountCopy> {
  const env = { BOH_CONFIG_DIR: folder };
  const { settings } = await loadSettings({ sandbox: true, apiPrefix }, env);
  let currentTime = context.now();
  const sessionFor = () =>
    openSandboxSession(sandbox, env, apiPrefix, copyContext, { 'wire.put': wire.put }, [
      createRecorder(settings, copyContext, async () => accountFolder(env, accountFromSettings(settings))),
    ]);
  const copyContext: Context = Object.create(context, {
    env: { value: env },
    globals: { value: { yes: true, sandbox: true, quiet: true } },
    recordedWrites: { value: { count: 0, finish: [], irreversible: new Set() } },
    streams: { value: Object.create(context.streams, { quiet: { value: true } }) },
    now: { value: () => currentTime },
    settings: { value: async () => settings },
    sessionFor: { value: sessionFor },
    session: { value: once(sessionFor) },
  });
  return {
    host: await createHost(copyContext),
    session: await copyContext.session(),
    add: (records, references) => addRecords(sandbox, records, references),
    setClock: (clockMs) => {
      currentTime = new Date(clockMs);
      sandbox.clock.set(clockMs);
    },
    lint: (resources) => lintRecords(resources, copyContext),
    close: () => {
      for (const finish of copyContext.recordedWrites.finish) finish();
    },
  };
}

/** Runs the rules of `boh lint` on the records, and returns a line for each finding. */
async function lintRecords(resources: readonly Resource[], context: Context): Promise<string[]> {
  const flags = { rule: [], excludeRule: [], rules: [] };
  const scope = await readLintScope(
    resources.map(({ command }) => command),
    flags,
    context,
  );
  const { findings } = await runLint(scope, flags, context);
  return findings.map(({ rule, resource, id, message }) => `${rule}: ${resource.command} ${id}: ${message}`);
}
