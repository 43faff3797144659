/** The one path from a filled ledger to the end of a command: plan, limits, dry run, confirmation, and the run itself. */
import type { Failure } from '../../base/errors.ts';
import { type Hint, joinHints } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { capitalized } from '../../contract/wording.ts';
import type { Result } from '../../output/result.ts';
import { asksForName, noteOnce } from '../../prompts/confirming/approve-writes.ts';
import { askToContinue, requireYes } from '../../prompts/confirming/confirm-action.ts';
import { type LimitFlags, refuseExceeded } from '../../runs/limits.ts';
import { foreseenFailure, type Plan, type PlanSource, planOf } from '../../runs/plan.ts';
import type { SecretsOf } from '../../runs/secrets.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { guarded } from './guard.ts';
import { startRun } from './run.ts';
import type { RunFlags } from './run-flags.ts';
import { type SavedParts, savePlan } from './saved-plan.ts';
import { planResult, reportChanges, reportExcluded, reportPlan } from './show-plan.ts';

/** A ledger that was filled, and what a command adds to carry it out. */
export interface PlannedRun extends PlanSource, SavedParts {
  flags: RunFlags & LimitFlags & { exitCode?: boolean };
  /** Throws for reasons other than limits that prevent the run, before any confirmation. */
  check?(): Promise<void>;
  /** Whether the line says that the plan goes to the account in use, whichever it was saved for. */
  isAnyAccount?: boolean | undefined;
  /** Whether the ledger stays where nothing is sent: it is that of a plan which was saved before. */
  isKept?: boolean | undefined;
  /** What a dry run shows in place of the rows. */
  shown?(): Promise<Result>;
  /** Called after the answer, before the first request. */
  beforeSending?(): Promise<void>;
  secretsOf?: (() => SecretsOf | undefined) | undefined;
  /** Closes what the rows come from. Where a function throws nothing was sent, and that is left to the caller. */
  close?(): Promise<void>;
}

/**
 * Shows the plan, and carries it out where the answer is yes. In a dry run it is shown with the failure that the run would
 * end with; so it is with `--out`, which saves it.
 */
export async function runPlan(run: PlannedRun, context: Context): Promise<Result> {
  const { ledger, flags } = run;
  const limits = [...(run.limits ?? []), ...(await guarded(run, flags, context))];
  const plan = await planOf({ ...run, limits });
  const refuse = async () => {
    refuseExceeded(plan.limits);
    await run.check?.();
  };
  if (context.globals.dryRun || flags.out !== undefined) {
    const failure = await foreseenFailure(plan, refuse);
    const isSaved = flags.out !== undefined && (failure === undefined || failure.category === 'partial');
    const notes = isSaved ? await savePlan(run, context) : [];
    return previewPlan(plan, { ...run, isKept: run.isKept || isSaved, notes }, failure, context);
  }
  await refuse();
  reportPlan(plan, run.words, context);
  await confirmPlan(plan, run, context);
  await run.beforeSending?.();
  const { session, isAnyAccount, concurrency = flags.concurrency } = run;
  const sending = concurrency === undefined ? flags : { ...flags, concurrency };
  const onEnd = async () => {
    ledger.close();
    await run.close?.();
  };
  const secretsOf = run.secretsOf?.();
  return startRun({ ledger, session, flags: sending, context, secretsOf, isAnyAccount, onEnd });
}

/** Shows a plan that is not carried out, and ends with the failure. The ledger is discarded once it was read, unless it `isKept`. */
export async function previewPlan(
  plan: Plan,
  {
    words,
    flags,
    shown,
    close,
    isKept,
    notes = [],
  }: Pick<PlannedRun, 'words' | 'flags' | 'shown' | 'close' | 'isKept'> & { notes?: readonly Hint[] },
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
  if (!shown) return planResult(plan, words, context, end);
  await end();
  const result = await shown();
  return { ...result, foreseen: failure, notes: [...(result.notes ?? []), ...notes] };
}

/** Throws where the answer is no, or no one can be asked. One record that isn't deleted is written without a question. */
export async function confirmPlan(
  plan: Plan,
  { words, outlook, isAlwaysAsked }: Pick<PlannedRun, 'words' | 'outlook' | 'isAlwaysAsked'>,
  context: Context,
): Promise<void> {
  const { globals, streams, kept } = context;
  const { changed, counts, session } = plan;
  const isRisky = isAlwaysAsked || changed > 1 || counts.has('delete');
  const isAsked = isRisky && !globals.yes;
  const { noun, nouns } = words.resource;
  const what = `${words.verb ?? 'write'} ${numeral(changed)} ${changed === 1 ? noun : nouns}`;
  if (isAsked) {
    const preview = joinHints(' ', 'To preview the changes: --dry-run', outlook);
    requireYes({ action: what, consequence: preview }, context);
  }
  const isShown = isAsked || (session && asksForName(context, session.settings));
  if (isShown || words.excluded) reportExcluded(plan, words, context);
  if (isShown) reportChanges(plan, words, context);
  noteOnce(plan.irreversible, context);
  if (!isAsked) return;
  if (outlook && !(typeof outlook === 'string' && kept.irreversible.has(outlook))) note(streams, outlook);
  await askToContinue(`${capitalized(what)}?`, context);
}
