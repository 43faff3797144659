/** `boh apply PATH… | --plan FILE`: the account made to be as the files declare it, through a ledger. */
import { Command } from 'commander';
import { checkPlace, writeWhole } from '../../bulk/export/whole-file.ts';
import type { Ledger } from '../../bulk/ledger/ledger.ts';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import type { Result, RunResult } from '../../interaction/output/result.ts';
import { applyCommandName, endEarlierApplies } from '../../manifest/apply/earlier-applies.ts';
import { checkGuardFlags, guard } from '../../manifest/apply/guards.ts';
import { idsOf } from '../../manifest/apply/outputs.ts';
import { addRows } from '../../manifest/apply/rows.ts';
import { hashOf, readSavedPlan, type SavedPlan } from '../../manifest/apply/saved-plan.ts';
import { demandSecrets, secretsOfRun } from '../../manifest/apply/secrets.ts';
import type { Declaration } from '../../manifest/declared/declared.ts';
import { makePlan, type Plan } from '../../manifest/plan/make-plan.ts';
import { accountInUse, demandOwner } from '../../session/file-owner.ts';
import type { Session } from '../../session/session.ts';
import type { Locks } from '../../storage/lock-queue.ts';
import { checkRunFlags } from '../bulk/check-run-flags.ts';
import { foreseenFailure, refusalOf } from '../bulk/foreseen.ts';
import { beginLedger } from '../bulk/ledger.ts';
import { lockRun } from '../bulk/lock-run.ts';
import { carriedOut } from '../bulk/run.ts';
import { runSession } from '../bulk/run-session.ts';
import { prepare } from '../prepare.ts';
import { type ApplyFlags, addApplyFlags } from './apply-flags.ts';
import { confirmApply } from './confirm-apply.ts';
import { addPaths, declarationOf, planOf } from './manifest-flags.ts';
import { foretoldPlan } from './show-plan.ts';

export function applyCommand(context: Context): Command {
  const command = addPaths(prepare(new Command(applyCommandName))).description(
    'Make the account be as the files declare it: what is missing is added, what differs is changed, and the rest left ' +
      'alone. The second time nothing is to be done, so that applying again is how one goes on after anything.',
  );
  addApplyFlags(command);
  command.addHelpText(
    'after',
    '\nExamples:\n  boh apply seeds/\n  boh plan seeds/ --out monday.plan && boh apply --plan monday.plan',
  );
  return command.action(
    presented(context, (paths: string[], flags: ApplyFlags) => run(paths, flags, context)),
  );
}

async function run(paths: readonly string[], flags: ApplyFlags, context: Context): Promise<Result> {
  checkRunFlags(flags);
  checkGuardFlags(flags);
  const isPlannedAnew =
    flags.normalizePhones === true ||
    paths.length > 0 ||
    flags.prune.length > 0 ||
    flags.maxDeletes !== undefined;
  if (flags.plan !== undefined && isPlannedAnew) {
    throw usage(
      '--plan carries out what was planned: no paths, --prune, --max-deletes or --normalize-phones go with it.',
    );
  }
  const saved = flags.plan === undefined ? undefined : await readSavedPlan(flags.plan, context.api);
  const declaration = saved?.declaration ?? (await declarationOf(paths, context, flags));
  const session = await runSession(context, flags);
  if (saved)
    await demandOwner(session, saved.owner, {
      called: flags.plan ?? '',
      kind: 'plan',
      override: 'Plan anew: boh plan PATH --out FILE. To carry it out all the same: --any-account',
      env: context.env,
      isAny: flags.anyAccount,
    });
  else if (flags.anyAccount)
    throw usage('--any-account goes with --plan: only its file belongs to an account.');
  const planning = async () =>
    saved
      ? sameAsSaved(
          saved,
          await makePlan({ session, declaration, prune: saved.prune, signal: context.signal }),
        )
      : planOf(declaration, flags, session, context);
  const source = flags.plan ?? paths.join(' ');
  return applyPlanned({ planning, declaration, session, flags, source, command: applyCommandName }, context);
}

export interface Applying {
  /** Called once no other run writes what is declared. */
  planning(): Promise<Plan>;
  declaration: Declaration;
  session: Session;
  flags: ApplyFlags;
  /** What the records come from. */
  source: string;
  /** By which others that wait for it call it. */
  command: string;
}

/** Plans, asks and sends, while no other run writes what is declared. */
export async function applyPlanned(applying: Applying, context: Context): Promise<Result> {
  const { planning, declaration, session, flags, command } = applying;
  const { globals, env } = context;
  if (globals.dryRun) {
    const plan = await planning();
    return { ...(await foretoldPlan(plan, session)), foreseen: await foreseenOf(plan, applying, context) };
  }
  const resources = declaration.resources.map(({ name }) => name);
  const locks = await lockRun({ account: () => accountInUse(session), resources, flags, command }, context);
  try {
    if (flags.outputs !== undefined) await checkPlace(flags.outputs);
    const plan = await planning();
    await guard(plan, flags, session);
    await confirmApply(plan, session, context);
    endEarlierApplies(await accountInUse(session), env);
    if (plan.changes.length === 0) {
      if (flags.outputs !== undefined) await writeIds(flags.outputs, idsOf(plan, undefined));
      locks.release();
      return withoutRows();
    }
    return await carriedOutPlan(plan, locks, applying, context);
  } catch (error) {
    locks.release();
    throw error;
  }
}

/** The failure that applying the plan would end with before anything is sent, as far as that can be known. */
function foreseenOf(
  plan: Plan,
  { session, flags, source }: Applying,
  context: Context,
): Promise<Failure | undefined> {
  return refusalOf(async () => {
    if (flags.outputs !== undefined) await checkPlace(flags.outputs);
    await guard(plan, flags, session);
    const ledger = beginLedger({ command: applyCommandName, source, flags, isKept: false, context });
    try {
      await addRows(ledger, plan, context.signal);
      demandSecrets(ledger, context.env);
      const failure = await foreseenFailure(ledger, session);
      if (failure) throw failure;
    } finally {
      ledger.discard();
    }
  });
}

/** Whoever reads the rows of an apply finds a list without any. */
function withoutRows(): RunResult {
  return { kind: 'run', isReading: true, hasResources: true, rows: none(), end: async () => ({}) };
}

async function* none(): AsyncGenerator<never> {}

async function carriedOutPlan(
  plan: Plan,
  locks: Locks,
  { flags, session, source }: Applying,
  context: Context,
): Promise<RunResult> {
  const ledger = beginLedger({ command: applyCommandName, source, flags, isKept: true, context });
  ledger.lockedBy(locks);
  try {
    await addRows(ledger, plan, context.signal);
    demandSecrets(ledger, context.env);
    const secretsOf = secretsOfRun(ledger, context.env);
    const result = await carriedOut({
      ledger,
      session,
      flags,
      context,
      secretsOf,
      onEnd: async () => ledger.close(),
    });
    return { ...result, end: () => ended(result, plan, ledger, flags) };
  } catch (error) {
    ledger.discard();
    throw error;
  }
}

async function ended(result: RunResult, plan: Plan, ledger: Ledger, { outputs }: ApplyFlags) {
  if (outputs === undefined) return result.end();
  const ids = idsOf(plan, ledger);
  const end = await result.end();
  try {
    await writeIds(outputs, ids);
    return end;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...end, failure: end.failure ?? withoutIds(error) };
  }
}

/** The run is over, whatever became of the file: what it has done counts. */
function withoutIds({ message }: Failure): Failure {
  return new Failure('partial', `All of it is done. The ids are in no file: ${message}`, {
    outcome: 'done',
    hint: 'To have them in another file, apply the same again: boh apply PATH --outputs FILE',
  });
}

async function writeIds(file: string, ids: unknown): Promise<void> {
  await writeWhole(
    file,
    (async function* () {
      yield `${JSON.stringify(ids, null, 2)}\n`;
    })(),
  );
}

/** Throws where a record is not as it was when the plan was saved. */
function sameAsSaved(saved: SavedPlan, plan: Plan): Plan {
  if (hashOf(plan) === saved.hash) return plan;
  throw usage(
    'Records have changed since the plan was saved, so that it may do something else. Nothing was sent.',
    {
      hint: 'Plan anew, and look at it: boh plan PATH --out FILE',
    },
  );
}
