/** The one path from a filled ledger to the end of a command: plan, limits, dry run, confirmation, and the run itself. */
import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { inPlace } from '../../context/where.ts';
import { capital } from '../../contract/capital.ts';
import type { Result } from '../../output/result.ts';
import { asksForName, tellReasons } from '../../prompts/confirming/approve-writes.ts';
import { type LimitFlags, refuseExceeded } from '../../runs/limits.ts';
import { foreseenFailure, type Plan, type PlanSource, planOf } from '../../runs/plan.ts';
import type { SecretsOf } from '../../runs/secrets.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { carriedOut } from './run.ts';
import type { RunFlags } from './run-flags.ts';
import { type PlanWords, planResult, tellChanges, tellExcluded, tellPlan } from './show-plan.ts';

/** A ledger that was filled, and what a command adds to carry it out. */
export interface PlannedRun extends PlanSource {
  flags: RunFlags & LimitFlags & { exitCode?: boolean };
  words: PlanWords;
  /** Asks whatever the number of records is. */
  isAlwaysAsked?: boolean;
  /** Whether what is done can be undone, said before the question. */
  outlook?: string | undefined;
  /** Throws what keeps the run from being carried out besides limits, before anyone is asked. */
  check?(): Promise<void>;
  /** What a dry run shows in place of the rows. */
  shown?(): Promise<Result>;
  /** Requests in flight, where the order of rows allows fewer than the flags say. */
  concurrency?: string | undefined;
  /** Called after the answer, before the first request. */
  beforeSending?(): Promise<void>;
  secretsOf?: (() => SecretsOf | undefined) | undefined;
  /** Closes what the rows come from. Where a function throws nothing was sent, and that is left to the caller. */
  close?(): Promise<void>;
}

/** Shows the plan, and carries it out where the answer is yes; in a dry run shows it with the failure that the run would end with. */
export async function runPlan(run: PlannedRun, context: Context): Promise<Result> {
  const { ledger, flags } = run;
  const plan = await planOf(run);
  const refuse = async () => {
    refuseExceeded(plan.limits);
    await run.check?.();
  };
  if (context.globals.dryRun) {
    const failure = await foreseenFailure(plan, refuse);
    return previewPlan(plan, run, failure, context);
  }
  await refuse();
  await confirmPlan(plan, run, context);
  await run.beforeSending?.();
  const { session, concurrency = flags.concurrency } = run;
  const sending = concurrency === undefined ? flags : { ...flags, concurrency };
  const onEnd = async () => {
    ledger.close();
    await run.close?.();
  };
  return carriedOut({ ledger, session, flags: sending, context, secretsOf: run.secretsOf?.(), onEnd });
}

/** Shows a plan that is not carried out, and ends with the failure. The ledger is discarded once it was read. */
export async function previewPlan(
  plan: Plan,
  { words, flags, shown, close }: Pick<PlannedRun, 'words' | 'flags' | 'shown' | 'close'>,
  failure: Failure | undefined,
  context: Context,
): Promise<Result> {
  tellPlan(plan, words, context);
  tellReasons(plan.irreversible, context);
  if (plan.changed > 0 && flags.exitCode) context.exitCode = 10;
  const end = async () => {
    plan.ledger.discard();
    await close?.();
    return { failure };
  };
  if (!shown) return planResult(plan, words, context, end);
  await end();
  return { ...(await shown()), foreseen: failure };
}

/** Throws where the answer is no, or no one can be asked. One record that isn't deleted is written without a question. */
async function confirmPlan(
  plan: Plan,
  { words, outlook, isAlwaysAsked }: PlannedRun,
  context: Context,
): Promise<void> {
  const { globals, streams, kept } = context;
  const { changed, counts, session } = plan;
  tellPlan(plan, words, context);
  const isRisky = isAlwaysAsked || changed > 1 || counts.has('delete');
  const isAsked = isRisky && !globals.yes;
  const { noun, nouns } = words.resource;
  const what = `${words.verb ?? 'write'} ${numeral(changed)} ${changed === 1 ? noun : nouns}`;
  if (isAsked && !streams.interactive) {
    const hint = ['There is no terminal to ask on. --dry-run shows what would be done.', outlook];
    throw usage(`To ${what}, add --yes.`, { hint: hint.filter(Boolean).join(' ') });
  }
  const isShown = isAsked || (session && asksForName(context, session.settings));
  if (isShown || words.excluded) tellExcluded(plan, words, context);
  if (isShown) tellChanges(plan, words, context);
  tellReasons(plan.irreversible, context);
  if (!isAsked) return;
  if (outlook && !kept.lasting.has(outlook)) note(streams, inPlace(outlook, context));
  const { confirm } = await import('../../prompts/terminal/prompts.ts');
  if (await confirm(streams, { message: `${capital(what)}?` })) return;
  throw new Failure('interrupted', 'Canceled. Nothing was sent.');
}
