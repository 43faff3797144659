/** `boh change create NAME …`: plans changes, and saves the plan with its start time and end time. */
import { join } from 'node:path';
import { Option } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { openScratch } from '../../base/scratch.ts';
import { nextAct, type Schedule } from '../../changes/change-set.ts';
import { touchedBy } from '../../changes/touched.ts';
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import { newRunId } from '../../runs/ledger/run-id.ts';
import { openLedger } from '../../runs/ledger/runs.ts';
import { type LimitFlags, limitProblems, protectedLimits, refuseExceeded } from '../../runs/limits.ts';
import { type Plan, planOf, refuseHidden } from '../../runs/plan.ts';
import { demandOwner } from '../../session/file-owner.ts';
import { confirmPlan } from '../bulk/run-plan.ts';
import { savedParts } from '../bulk/saved-plan.ts';
import { reportPlan, summaryOf } from '../bulk/show-plan.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption, repeatable } from '../flags/shared-flags.ts';
import { addPlanFlags } from '../manifest/manifest-flags.ts';
import { prepare } from '../prepare.ts';
import { openSets, periodOf, shownSet } from './open-sets.ts';
import { addScheduleFlags, readSchedule, refuseConflicts, type ScheduleFlags } from './schedule-flags.ts';
import { planSource, type SourceFlags } from './sources.ts';

interface Flags extends ScheduleFlags, SourceFlags, LimitFlags, AnyAccountFlag {}

/** Builds the command. */
export function createCommand(context: Context): Command {
  const command = prepare(new Command('create'))
    .argument('<name>', 'the name of the change set')
    .argument('[source...]', 'files or folders, as for boh plan; with --import or --where: the resource')
    .usage(
      '<name> (<path...> | --import <file> <resource> | <resource> --where … --set … | --plan <file>) --at <time> [flags]',
    )
    .description(
      'Plan changes that start at one time and optionally end at another; the earlier values are then restored. Nothing is sent now; ' +
        'boh change run carries out what is due.',
    );
  addScheduleFlags(command);
  command.group(
    'Source:',
    new Option('--import <file>', 'the rows of a CSV, XLSX, NDJSON or JSON file'),
    new Option('--key <fields>', 'with --import: the fields that identify an existing record'),
    new Option('--skip-invalid', 'with --import: leave out invalid rows'),
    repeatable('--where <key=value>', 'update the records that match this filter (repeatable)'),
    repeatable('--set <field=value>', 'with --where: the new value of a field (repeatable)'),
    new Option('--plan <file>', 'a plan that any command saved with --out'),
  );
  addPlanFlags(command, 'save nothing');
  const limits = [
    new Option('--max-changes <number>', 'save nothing if more records would change: N or N%'),
    new Option('--max-price-change <percent>', 'save nothing if a price or cost would change by more'),
    anyAccountOption('allow plans and change sets of another account'),
  ];
  for (const option of limits) command.addOption(option);
  command.examples(
    'boh change create ramadan menu/ --at "2027-02-08 04:00" --until "2027-03-10 04:00" --timezone Asia/Riyadh',
    'boh change create sale inventory-items --where tags.id=@Cold --set cost=9 --at 2027-05-01 --until 2027-05-03',
  );
  return command.action(
    presented(context, (name: string, words: string[], flags: Flags) => create(name, words, flags, context)),
  );
}

async function create(
  name: string,
  words: readonly string[],
  flags: Flags,
  context: Context,
): Promise<Result> {
  const { env, globals } = context;
  const now = context.now().getTime();
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._-]{0,63}$/u.test(name))
    throw usage(`"${name}" isn't a name for a change set: use letters, digits, spaces and ._-, up to 64.`);
  if (globals.dryRun) throw usage('change create has no dry run: it sends nothing. To see a plan: boh plan');
  if (globals.offline)
    throw usage('A change set is planned for an account, and --offline forbids reading it.');
  const problems = limitProblems(flags);
  if (Object.keys(problems).length > 0) throw usage(Object.values(problems).flat().join(' '));
  const schedule = readSchedule(flags, now);
  await refuseWithoutHistory(schedule, context);
  const scratch = openScratch('change');
  let ledger: Ledger | undefined;
  try {
    const planFile = join(scratch.path, 'plan.sqlite');
    await planSource(words, flags, planFile, context);
    ledger = openLedger(env, planFile);
    const session = await context.session();
    const file = { called: 'The plan', kind: 'plan', env, isAny: flags.anyAccount };
    const { words: called, ...parts } = savedParts(ledger);
    await demandOwner(session, ownerOfRun(ledger), file);
    const limits = { ...(session.settings.protection && protectedLimits), ...flags };
    // Invalid rows were reported when the file was read.
    if (flags.skipInvalid) for (const { seq } of [...ledger.rows('bad')]) ledger.remove(seq);
    const plan = await planOf({ ledger, session, flags: limits });
    refuseExceeded(plan.limits);
    await refuseHidden(ledger, session);
    refuseUnfit(plan);
    const { sets } = await openSets(context, flags, { isCreated: true });
    if (!sets) throw new Error('no change sets');
    sets.refuseTaken(name);
    const hints = ownMeans(ledger, context);
    // Other sources have reported what they plan.
    if (flags.plan !== undefined) reportPlan(plan, called, context);
    await confirmPlan(
      plan,
      { ...parts, words: called, outlook: `Change set ${name}: ${periodOf(schedule)}.` },
      context,
    );
    const touched = [...touchedBy(ledger, session)];
    // One saved plan may become several sets.
    const run = newRunId(context.now());
    for (const [fact, value] of Object.entries({ id: run, name: run, command: `change ${name}` }))
      ledger.setFact(fact, value);
    ledger.close();
    ledger = undefined;
    const planned = {
      name,
      ...schedule,
      summary: summaryOf(plan, called),
      createdAt: now,
      run,
      touched,
      planFile,
    };
    const added = sets.add(planned, (set) => refuseConflicts(sets, set, flags));
    const rehearse = boh.account('change rehearse', name);
    return {
      kind: 'facts',
      facts: shownSet(added, now),
      notes: [
        `Change set ${name} is planned ${periodOf(added)}. Nothing was sent.`,
        ...hints,
        boh.hint`To try it in a copy of the account: ${rehearse}`,
        ...(nextAct(added)
          ? [
              boh.hint`To carry out what is due, call regularly: ${boh.account('change run')}. To print a timer: ${boh.account('change install', '--systemd')}`,
            ]
          : []),
      ],
    };
  } finally {
    ledger?.close();
    scratch.remove();
  }
}

/** Throws if the earlier values could not be restored, as the history isn't recorded. */
export async function refuseWithoutHistory({ until }: Schedule, context: Context): Promise<void> {
  const { history } = await context.settings();
  if (until === null || history.journal) return;
  throw usage('--until needs the history, from which earlier values are restored, and it is turned off.', {
    hint: boh.hint`To turn it on: ${boh.account('config set', 'history.journal', 'on')}`,
  });
}

/** Throws for a plan that can't be carried out without anyone watching: empty, incomplete or irreversible. */
function refuseUnfit({ changed, excluded, irreversible }: Plan): void {
  if (changed === 0) throw usage('No changes. No change set was created.');
  if (excluded > 0)
    throw new Failure(
      'partial',
      `The plan skips ${excluded} ${excluded === 1 ? 'record' : 'records'}. No change set was created.`,
    );
  if (irreversible.length > 0)
    throw usage("A change set can't contain irreversible changes. No change set was created.", {
      fields: { irreversible: [...irreversible] },
    });
}

/** Returns a hint if all records of the plan have dates of their own, at which the service itself begins and ends them. */
function ownMeans(ledger: Ledger, { api }: Context): Hint[] {
  const dates = new Set<string>();
  for (const { steps } of ledger.rows('planned')) {
    for (const { resource } of steps) {
      const { noun = '', pictures } = api.resource(resource) ?? {};
      if (!pictures?.week?.fromDate) return [];
      dates.add(`A ${noun} has ${pictures.week.fromDate} and ${pictures.week.toDate}`);
    }
  }
  return [...dates].map((text) => `${text}: the service begins and ends it without a change set.`);
}
