/** Executes the plan in a ledger, for every command that plans: checks limits, shows the plan, asks, and starts the run. */
import type { Failure } from '../../base/errors.ts';
import { type Hint, joinHints } from '../../base/hint.ts';
import { formatCount } from '../../base/shown-items.ts';
import type { Context } from '../../context/context.ts';
import { capitalize } from '../../contract/wording.ts';
import type { Result } from '../../output/result.ts';
import { asksForName, askToContinue, noteOnce, requireYes } from '../../prompts/confirm.ts';
import { plannedDeleteLimit, protectedLimits, refuseExceeded } from '../../runs/limits.ts';
import { buildPlan, expectedFailure, type Plan, type PlanInput } from '../../runs/plan.ts';
import type { ReadSecrets } from '../../runs/secrets-reader.ts';
import { note } from '../../terminal/messages.ts';
import { guardPlan } from './guard.ts';
import { startRun } from './run.ts';
import type { RunFlags } from './run-flags.ts';
import { type SavedParts, savePlan } from './saved-plan.ts';
import { planResult, reportChanges, reportExcluded, reportPlan } from './show-plan.ts';

/** A plan in a ledger, and the functions of the command that execute it. */
export interface PlannedRun extends PlanInput, SavedParts {
  flags: RunFlags & { exitCode?: boolean };
  /** Throws for reasons other than limits that prevent the run, before any confirmation. */
  check?(): Promise<void>;
  /** False for an undo, whose deletions are of records that a run created: only the flags limit it. */
  hasDefaultLimits?: false;
  /** True with `--any-account`: the plan is sent to the account in use, even if it was saved for another one. */
  isAnyAccount?: boolean | undefined;
  /** Whether to keep the ledger if nothing is sent, because it is a saved plan. */
  isKept?: boolean | undefined;
  /** Returns the result of a dry run, instead of the rows. */
  showPreview?(): Promise<Result>;
  secretsOf?: (() => ReadSecrets | undefined) | undefined;
  /** Closes the source of the rows. If `runPlan` throws, nothing was sent, and the caller closes the source. */
  close?(): Promise<void>;
}

/**
 * Shows the plan, asks for confirmation, and executes it. In a dry run, it only shows the plan and the expected failure.
 * With `--out`, it also saves the plan.
 */
export async function runPlan(run: PlannedRun, context: Context): Promise<Result> {
  const { ledger, session } = run;
  const isProtected = session?.settings.protection !== undefined && run.hasDefaultLimits !== false;
  const flags = { ...(isProtected && protectedLimits), ...run.flags };
  const limitsDeletes = run.hasDefaultLimits !== false || flags.maxDeletes !== undefined;
  const limits = [
    ...(run.limits ??
      (session && limitsDeletes ? [await plannedDeleteLimit(ledger, session, flags.maxDeletes)] : [])),
    ...(await guardPlan(run, flags, context)),
  ];
  const plan = await buildPlan({ ...run, flags, limits });
  const refuseProblems = async () => {
    refuseExceeded(plan.limits);
    await run.check?.();
  };
  if (context.globals.dryRun || flags.out !== undefined) {
    const failure = await expectedFailure(plan, refuseProblems);
    const isSaved = flags.out !== undefined && (failure === undefined || failure.category === 'partial');
    const notes = isSaved ? await savePlan(run, context) : [];
    return previewPlan(plan, { ...run, isKept: run.isKept || isSaved, notes }, failure, context);
  }
  await refuseProblems();
  reportPlan(plan, run.words, context);
  await confirmPlan(plan, run, context);
  const { isAnyAccount, concurrency = flags.concurrency } = run;
  const runFlags = concurrency === undefined ? flags : { ...flags, concurrency };
  const onEnd = async () => {
    // Without a row there is nothing to show, resume or undo.
    if (run.isKept || ledger.count() > 0) ledger.close();
    else ledger.discard();
    await run.close?.();
  };
  const secretsOf = run.secretsOf?.();
  return startRun({ ledger, session, flags: runFlags, context, secretsOf, isAnyAccount, onEnd });
}

/** Shows a plan without executing it, and fails with the expected failure. Deletes the ledger afterwards, unless `isKept`. */
export async function previewPlan(
  plan: Plan,
  {
    words,
    flags,
    showPreview,
    close,
    isKept,
    notes = [],
  }: Pick<PlannedRun, 'words' | 'flags' | 'showPreview' | 'close' | 'isKept'> & { notes?: readonly Hint[] },
  failure: Failure | undefined,
  context: Context,
): Promise<Result> {
  reportPlan(plan, words, context);
  noteOnce(plan.irreversible, context);
  if (plan.changed > 0 && flags.exitCode) context.exitCode = 10;
  const end = async () => {
    if (isKept) plan.ledger.close();
    else plan.ledger.discard();
    await close?.();
    return { failure, notes };
  };
  if (!showPreview) return planResult(plan, words, context, end);
  await end();
  const result = await showPreview();
  return { ...result, expectedFailure: failure, notes: [...(result.notes ?? []), ...notes] };
}

/** Returns the action if all records have the same one, else "write". */
function verbOf(counts: Plan['counts']): string {
  const [action = 'write', ...otherActions] = counts.keys();
  const isRecordAction = ['create', 'update', 'delete', 'restore'].includes(action);
  return isRecordAction && otherActions.length === 0 ? action : 'write';
}

/** Asks for confirmation. Throws if the answer is no, or without a terminal. A single record needs none, unless it is deleted. */
export async function confirmPlan(
  plan: Plan,
  { words, consequence, isAlwaysAsked }: Pick<PlannedRun, 'words' | 'consequence' | 'isAlwaysAsked'>,
  context: Context,
): Promise<void> {
  const { globals, streams, recordedWrites } = context;
  const { changed, counts, session } = plan;
  const isRisky = isAlwaysAsked || changed > 1 || counts.has('delete');
  const needsConfirmation = isRisky && !globals.yes;
  const { noun, nouns } = words.resource;
  const action = `${words.verb ?? verbOf(counts)} ${formatCount(changed)} ${changed === 1 ? noun : nouns}`;
  if (needsConfirmation) {
    const previewHint = joinHints(' ', 'To preview the changes, add --dry-run.', consequence);
    requireYes({ action, consequence: previewHint }, context);
  }
  const showsChanges = needsConfirmation || (session && asksForName(context, session.settings));
  if (showsChanges || words.excluded) reportExcluded(plan, words, context);
  if (showsChanges) reportChanges(plan, words, context);
  noteOnce(plan.irreversible, context);
  if (!needsConfirmation) return;
  if (consequence && !(typeof consequence === 'string' && recordedWrites.irreversible.has(consequence)))
    note(streams, consequence);
  await askToContinue(`${capitalize(action)}?`, context);
}
