/** `boh rehearse PATH…`: tries an apply in a temporary sandbox with a copy of the account. */

import { loadSettings } from '../../../account/settings/store.ts';
import { requireRecords } from '../../../engine/manifest/declared/declared.ts';
import { changeRecord } from '../../../engine/manifest/plan/change.ts';
import { type RehearsalResult, rehearse } from '../../../engine/manifest/rehearse.ts';
import { baselineOf, effectsSince, type SandboxEffects } from '../../../sandbox/business/effects.ts';
import { setStockLevels } from '../../../sandbox/business/stock.ts';
import { addRecords } from '../../../sandbox/demo/from-contract.ts';
import { openSandboxSession } from '../../../testing/session.ts';
import type { Context } from '../../context/context.ts';
import type { DisplayOptions, Result } from '../../output/result.ts';
import { cleanLine, spaceAfter } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import { wrapWords } from '../../terminal/width.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import { phoneFlag } from '../flags/shared-flags.ts';
import { withEmptyCopy } from '../sandbox/with-sandbox.ts';
import { pathArguments, readDeclaration } from './apply.ts';
import { createChangesFormatter, summarizeManifestPlan } from './show-plan.ts';

const rehearseFlags = [
  ['--from <profile>', 'the account to copy (default: the account in use)'],
  phoneFlag,
] as const;

export function rehearseCommand(context: Context): Command {
  return createCommand(context, {
    name: 'rehearse',
    about:
      'Try an apply in a temporary sandbox with a copy of the affected records. Reports refused changes, changed stock ' +
      'and notified users. The account is only read. Exits with 6 if a change is refused.',
    args: pathArguments,
    usage: '<path...> [flags]',
    flags: rehearseFlags,
    examples: ['boh rehearse opening/', 'boh rehearse opening/ --from production'],
    run: ([paths], flags) => run(paths, flags, context),
  });
}

async function run(
  paths: readonly string[],
  { from, ...flags }: FlagsOf<typeof rehearseFlags>,
  context: Context,
): Promise<Result> {
  const { env, globals, signal } = context;
  const declaration = await readDeclaration(paths, context, flags);
  requireRecords(declaration);
  const settings =
    from === undefined
      ? await context.settings()
      : (await loadSettings({ ...globals, profile: from }, env)).settings;
  const account = await context.sessionFor(settings);
  return withEmptyCopy(settings, context, async ({ sandbox, folder, variant }) => {
    const copyEnv = { BOH_CONFIG_DIR: folder };
    const copyVariant = { ...variant, 'wire.put': settings.wire.put };
    const copy = await openSandboxSession(sandbox, copyEnv, settings.apiPrefix, context, copyVariant);
    let baseline = baselineOf(sandbox);
    const rehearsal = await rehearse({
      account,
      copy,
      declaration,
      env,
      signal,
      now: () => context.now().getTime(),
      add: (records, references) => addRecords(sandbox, records, references),
      setStock: (levels) => setStockLevels(sandbox, levels),
      onCopied: (count) => {
        note(context.streams, `Copied ${count} records to a temporary sandbox.`);
        baseline = baselineOf(sandbox);
      },
    });
    await copy.close();
    if (rehearsal.results.some(({ outcome }) => outcome !== 'done')) context.exitCode = 6;
    return rehearsalResult(rehearsal, effectsSince(sandbox, baseline), paths.join(' '));
  });
}

/** Returns the result of a rehearsal: changes, refusals and side effects. */
export async function rehearsalResult(
  { plan, results, limits, loyalty }: RehearsalResult,
  { stock, notifications }: SandboxEffects,
  label: string,
): Promise<Result> {
  const refusedChanges = results
    .filter(({ outcome }) => outcome !== 'done')
    .map(({ resource, key, action, error }) => ({
      resource,
      key,
      action,
      message: error?.message ?? null,
      fields: error?.fields ?? null,
    }));
  const formatChanges = createChangesFormatter(plan.changes);
  const lines = ({ isTerminal }: DisplayOptions) => [
    ...refusedChanges.map(({ key, message }) => `refused: ${key ?? ''}: ${message ?? ''}`),
    ...stock.map(
      (movement) =>
        `stock: ${movement.item} at ${movement.place}:${isTerminal ? spaceAfter(movement.place) : ' '}${movement.old} → ${movement.new}`,
    ),
    ...loyalty.map(({ resource, id }) => `loyalty: ${resource} ${id}`),
    ...notifications.map(({ type, branch, users }) => `notified: ${users.join(', ')}: ${type} (${branch})`),
  ];
  const outcome =
    refusedChanges.length === 0
      ? 'All changes were accepted.'
      : `${refusedChanges.length} of ${results.length} changes were refused.`;
  return {
    kind: 'data',
    data: {
      changes: plan.changes.map(changeRecord),
      refused: refusedChanges,
      stock,
      loyalty,
      notifications,
      not_rehearsed: limits,
    },
    text: (display: DisplayOptions) =>
      formatChanges(display) +
      lines(display)
        .map((line) => formatEffect(line, display))
        .join(''),
    notes: [
      ...plan.notes,
      ...limits,
      summarizeManifestPlan(plan, label),
      `${outcome} The account was only read.`,
    ],
  };
}

/** Returns the text of an effect. On a terminal it is wrapped, with continuation lines indented. */
export function formatEffect(line: string, { isTerminal, width }: DisplayOptions): string {
  const cleanedLine = cleanLine(line);
  return `${isTerminal ? wrapWords(cleanedLine, width - continuationIndent.length).join(`\n${continuationIndent}`) : cleanedLine}\n`;
}

const continuationIndent = '    ';
