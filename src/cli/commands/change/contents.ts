/** Plans the contents of a change set from its source: checks that they can be applied and undone unattended, and asks for confirmation. */
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { requireOwner } from '../../../account/session/file-owner.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure, usage, violations } from '../../../base/errors.ts';
import { boh, type Hint } from '../../../base/hint.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { createTemporaryFolder } from '../../../base/temporary-folder.ts';
import { refuseWithoutHistory } from '../../../engine/changes/begin.ts';
import { type Schedule, touchedFields } from '../../../engine/changes/change-set.ts';
import type { PlanContents } from '../../../engine/changes/change-sets.ts';
import { Ledger } from '../../../engine/runs/ledger/ledger.ts';
import { ownerOfRun } from '../../../engine/runs/ledger/owner.ts';
import { newRunId } from '../../../engine/runs/ledger/run-id.ts';
import { refuseBegun } from '../../../engine/runs/ledger/runs.ts';
import { readSavedParts, recordRowDigest } from '../../../engine/runs/ledger/saved-plan.ts';
import {
  type LimitFlags,
  limitFlagProblems,
  protectedLimits,
  refuseExceeded,
} from '../../../engine/runs/limits.ts';
import { buildPlan, type Plan, refuseEmptiedSecrets } from '../../../engine/runs/plan.ts';
import { remainingOperations } from '../../../engine/runs/send-row.ts';
import type { Context } from '../../context/context.ts';
import { readInput } from '../../input/read-input.ts';
import type { Result } from '../../output/result.ts';
import { guardPlan } from '../bulk/guard.ts';
import { type ImportFlags, runImport } from '../bulk/import.ts';
import { confirmPlan } from '../bulk/run.ts';
import { guardFlags, maxChangesFlag, maxPriceChangeFlag } from '../bulk/run-flags.ts';
import { reportPlan, summarizePlan } from '../bulk/show-plan.ts';
import { runWhere } from '../bulk/where.ts';
import { type FlagsOf, repeated, under } from '../flags/flag-table.ts';
import { anyAccountFlag } from '../flags/shared-flags.ts';
import { planFlags, runPlanCommand } from '../manifest/apply.ts';
import { describePeriod } from './show.ts';

export const changeSourceFlags = [
  ...under('Source:', [
    ['--import <file>', 'the rows of a CSV, XLSX, NDJSON or JSON file'],
    ['--key <fields>', 'with --import: the fields that identify an existing record'],
    ['--skip-invalid', 'with --import: skip invalid rows'],
    ['--where <key=value>', 'update the records that match this filter (repeatable)', repeated],
    ['--set <field=value>', 'with --where: the new value of a field (repeatable)', repeated],
    ['--plan <file>', 'a plan that a command saved with --out'],
  ]),
  ...planFlags('save nothing'),
  ...guardFlags,
  maxChangesFlag('save nothing'),
  maxPriceChangeFlag('save nothing'),
  anyAccountFlag('with --plan: use a plan of another account'),
] as const;

/** The flags of the source, not yet validated. */
export type ChangeSourceFlags = FlagsOf<typeof changeSourceFlags>;

/** Returns whether the command line has arguments or flags of a source. The source must then be complete. */
export function hasSource(sourceArguments: readonly string[], flags: ChangeSourceFlags): boolean {
  const names = ['import', 'key', 'skipInvalid', 'where', 'set', 'plan', 'maxDeletes', 'normalizePhones'];
  const hasSourceFlag = [...names, 'maxChanges', 'maxPriceChange'].some((name) => Object.hasOwn(flags, name));
  return hasSourceFlag || sourceArguments.length > 0 || flags.prune.length > 0;
}

/** Plans the changes of the source, and saves the plan in the file `planFile`. Sends nothing. */
async function planSource(
  sourceArguments: readonly string[],
  flags: ChangeSourceFlags,
  planFile: string,
  context: Context,
): Promise<void> {
  const { import: file, where, set: assignments = [], plan } = flags;
  const sources = [
    file,
    where,
    plan,
    sourceArguments.length > 0 && !file && !where ? sourceArguments : undefined,
  ];
  if (
    sources.filter((source) => source !== undefined).length !== 1 ||
    assignments.length > 0 !== (where !== undefined)
  ) {
    throw usage(
      'Specify one source: files, --import FILE RESOURCE, RESOURCE --where … --set …, or --plan FILE.',
      {
        hint: boh.help('change create'),
      },
    );
  }
  if (plan !== undefined) return copyPlan(plan, planFile, context);
  // The findings of boh lint are reported once, when the plan is complete.
  const limits = { ...definedLimits(flags), failOn: 'never' as const };
  if (file !== undefined) {
    const { key, skipInvalid } = flags;
    const importFlags: ImportFlags = {
      out: planFile,
      ...limits,
      ...(key && { key }),
      ...(skipInvalid && { skipInvalid }),
    };
    return finishPlan(
      await runImport(file, importFlags, parseResource(sourceArguments, context), context),
      skipInvalid,
    );
  }
  if (where === undefined) {
    const { prune, maxDeletes, normalizePhones } = flags;
    const planFlags = {
      out: planFile,
      prune,
      ...(maxDeletes && { maxDeletes }),
      ...(normalizePhones && { normalizePhones }),
    };
    return finishPlan(await runPlanCommand(sourceArguments, planFlags, context));
  }
  const update = operation(parseResource(sourceArguments, context), 'update');
  if (!update) throw usage(`The API can't update ${parseResource(sourceArguments, context).nouns}.`);
  const pairs = assignments.map((pair) => /^([^=]+)=(.*)$/s.exec(pair) ?? [pair, pair, '']);
  const fields = pairs.map(([, name = '', text = '']) => ({
    name: name.replaceAll('-', '_'),
    values: [text],
  }));
  const unknownField = fields.find(({ name }) => !update.body.some((entry) => entry.name === name));
  if (unknownField) {
    const names = update.body.map(({ name }) => name);
    throw usage(
      `--set: ${unknownField.name} isn't a field that can be updated.${didYouMean(unknownField.name, names)}`,
    );
  }
  const { body, problems } = await readInput(update, { fields, clear: [] }, context.streams);
  if (Object.keys(problems).length > 0) throw violations('--set', problems);
  return finishPlan(
    await runWhere(
      { operation: update, args: [], flags: { where, out: planFile, ...limits }, body },
      context,
    ),
  );
}

function definedLimits({ maxChanges, maxDeletes, maxPriceChange }: LimitFlags): LimitFlags {
  const limits = Object.entries({ maxChanges, maxDeletes, maxPriceChange });
  return Object.fromEntries(limits.filter(([, limit]) => limit !== undefined));
}

async function copyPlan(file: string, planFile: string, context: Context): Promise<void> {
  if (!existsSync(file))
    throw usage(`File ${file} not found.`, { hint: 'Save a plan with --out FILE first.' });
  const ledger = new Ledger(file);
  try {
    readSavedParts(ledger);
    refuseBegun(await (await context.session()).folder(), ledger);
    // Only the file itself is copied, and not the log of a killed process.
    ledger.checkpoint();
  } finally {
    ledger.close();
  }
  copyFileSync(file, planFile);
}

function parseResource([word, ...otherWords]: readonly string[], { api }: Context): Resource {
  const resource = word === undefined || otherWords.length > 0 ? undefined : api.findResource(word);
  if (resource) return resource;
  throw usage(
    word === undefined ? 'Missing the resource.' : `Unknown resource "${[word, ...otherWords].join(' ')}".`,
    {
      hint: boh.hint`To list all: ${boh.plain('resources')}`,
    },
  );
}

/** Reads all rows of a plan, so that it is saved. Throws its failure, except for skipped rows. */
async function finishPlan(result: Result, skipsInvalid = false): Promise<void> {
  if (result.kind === 'run') for await (const _ of result.rows);
  const { failure = result.expectedFailure } = result.kind === 'run' ? await result.end() : {};
  if (failure && !(skipsInvalid && failure.category === 'partial')) throw failure;
}

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
