/** Plans the contents of a change set: checks that it can be applied and undone unattended, and asks for confirmation. */
import { join } from 'node:path';
import { Failure, usage } from '../../base/errors.ts';
import type { Hint } from '../../base/hint.ts';
import { createTemporaryFolder } from '../../base/temporary-folder.ts';
import { refuseWithoutHistory } from '../../changes/begin.ts';
import type { Schedule } from '../../changes/change-set.ts';
import type { PlanContents } from '../../changes/change-sets.ts';
import { touchedFields } from '../../changes/touched.ts';
import type { Context } from '../../context/context.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import { recordRowDigest } from '../../runs/ledger/row-digest.ts';
import { newRunId } from '../../runs/ledger/run-id.ts';
import { limitFlagProblems, protectedLimits, refuseExceeded } from '../../runs/limits.ts';
import { buildPlan, type Plan, refuseEmptiedSecrets } from '../../runs/plan.ts';
import { remainingOperations } from '../../runs/send-row.ts';
import { requireOwner } from '../../session/file-owner.ts';
import { guardPlan } from '../bulk/guard.ts';
import { confirmPlan } from '../bulk/run-plan.ts';
import { readSavedParts } from '../bulk/saved-plan.ts';
import { reportPlan, summarizePlan } from '../bulk/show-plan.ts';
import { describePeriod } from './format-set.ts';
import { type ChangeSourceFlags, planSource } from './sources.ts';

/** The change set to plan. */
interface ChangeSetToPlan {
  name: string;
  schedule: Schedule;
  /** Saves the contents. The file of the plan is deleted afterwards. */
  save(contents: PlanContents): void;
}

/** Plans the changes of the source, asks for confirmation, and saves the plan. Sends nothing. Returns hints about the contents. */
export async function planContents(
  source: readonly string[],
  flags: ChangeSourceFlags,
  { name, schedule, save }: ChangeSetToPlan,
  context: Context,
): Promise<Hint[]> {
  const { env } = context;
  const problems = limitFlagProblems(flags);
  if (Object.keys(problems).length > 0) throw usage(Object.values(problems).flat().join(' '));
  refuseWithoutHistory(schedule, (await context.settings()).history.journal);
  const scratch = createTemporaryFolder('change');
  let ledger: Ledger | undefined;
  try {
    const planFile = join(scratch.path, 'plan.sqlite');
    await planSource(source, flags, planFile, context);
    ledger = new Ledger(planFile);
    const session = await context.session();
    const file = { label: 'The plan', kind: 'plan', env, isOverridden: flags.anyAccount };
    const { words: wording, ...parts } = readSavedParts(ledger);
    await requireOwner(session, ownerOfRun(ledger), file);
    // The import has already reported the invalid rows.
    if (flags.skipInvalid) {
      for (const { seq } of [...ledger.rows('bad')]) ledger.remove(seq);
      recordRowDigest(ledger);
    }
    const limits = { ...(session.settings.protection && protectedLimits), ...flags };
    const findings = await guardPlan({ ledger, session }, flags, context);
    const plan = await buildPlan({ ledger, session, flags: limits, limits: findings });
    refuseExceeded(plan.limits);
    await refuseEmptiedSecrets(ledger, session);
    refuseUnschedulable(plan);
    const hints = dateHints(ledger, context);
    // The other sources have already reported their plans.
    if (flags.plan !== undefined) reportPlan(plan, wording, context);
    const consequence = `Change set ${name}: ${describePeriod(schedule)}.`;
    // The verb is `schedule`, because nothing is sent now.
    const words = { ...wording, verb: 'schedule changes to' };
    await confirmPlan(plan, { ...parts, words, consequence }, context);
    // Nothing is asked when the set starts, so it needs the confirmation of its writes now.
    for (const operation of remainingOperations(ledger, session))
      await session.permissions.approve({ operation });
    const touchedFieldNames = [...touchedFields(ledger, session)];
    // Several sets can be created from one saved plan, so each gets a new run ID.
    const run = newRunId(context.now());
    for (const [property, value] of Object.entries({ id: run, name: run, command: `change ${name}` }))
      ledger.setProperty(property, value);
    ledger.close();
    ledger = undefined;
    const allow = flags.allow?.join(',') ?? null;
    save({ summary: summarizePlan(plan, wording), run, allow, touched: touchedFieldNames, planFile });
    return hints;
  } finally {
    ledger?.close();
    scratch.remove();
  }
}

/** Throws if a plan can't be applied unattended: if it is empty, incomplete or irreversible. */
function refuseUnschedulable({ changed, excluded, irreversible }: Plan): void {
  if (changed === 0) throw usage('No changes. The change set was not saved.');
  if (excluded > 0)
    throw new Failure(
      'partial',
      `The plan skips ${excluded} ${excluded === 1 ? 'record' : 'records'}. The change set was not saved.`,
    );
  if (irreversible.length > 0)
    throw usage("A change set can't contain irreversible changes. The change set was not saved.", {
      fields: { irreversible: [...irreversible] },
    });
}

/** Returns a hint if all records of the plan have start and end dates in the service. */
function dateHints(ledger: Ledger, { api }: Context): Hint[] {
  const dates = new Set<string>();
  for (const { steps } of ledger.rows('planned')) {
    for (const { resource } of steps) {
      const { noun = '', pictures } = api.resource(resource) ?? {};
      if (!pictures?.week?.fromDate) return [];
      dates.add(`A ${noun} has ${pictures.week.fromDate} and ${pictures.week.toDate}`);
    }
  }
  return [...dates].map(
    (description) => `${description}: the service starts and ends it without a change set.`,
  );
}
