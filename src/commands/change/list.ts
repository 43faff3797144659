/** `boh change list` and `boh change show`: the change sets, what is due when, and the preview of one as of now. */
import { join } from 'node:path';
import { openScratch } from '../../base/scratch.ts';
import { businessTime } from '../../changes/business-time.ts';
import { type ChangeSet, inOrder, overStates } from '../../changes/change-set.ts';
import type { ChangeSets } from '../../changes/change-sets.ts';
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Ledger } from '../../runs/ledger/ledger.ts';
import { OtherRows } from '../../runs/other-rows.ts';
import { rowsChanged } from '../../runs/recheck-rows.ts';
import { type RowResult, resultOf } from '../../runs/result.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { changesOf, plannedLine, resourceIn } from '../bulk/show-plan.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { changedSincePlanned } from '../history/open-history.ts';
import { prepare } from '../prepare.ts';
import { openSets, periodOf, setsThere, shownSet } from './open-sets.ts';
import { conflictText } from './schedule-flags.ts';

/** Builds `boh change list`. */
export function listCommand(context: Context): Command {
  return prepare(new Command('list'))
    .description('List the change sets of the account, in the order in which they begin.')
    .examples('boh change list', 'boh change list -o json')
    .addOption(anyAccountOption('also use change sets of another account'))
    .action(presented(context, (flags: AnyAccountFlag) => list(flags, context)));
}

const ifNone = 'No change sets.';

async function list(flags: AnyAccountFlag, context: Context): Promise<Result> {
  const { sets } = await openSets(context, flags, { isReading: true });
  const now = context.now().getTime();
  const all = sets?.all() ?? [];
  return {
    kind: 'facts',
    facts: all.map((set) => shownSet(set, now)),
    key: 'name',
    shown: () =>
      all.map(({ name, state, at, until, zone, summary, note }) => ({
        ...{
          name,
          state,
          from: businessTime(at, zone),
          until: until === null ? null : businessTime(until, zone),
        },
        ...{ changes: summary, note },
      })),
    columns: [
      { name: 'name', whole: true },
      { name: 'state', whole: true },
      { name: 'from', rank: 1 },
      { name: 'until', rank: 1 },
      { name: 'changes', rank: 2 },
      { name: 'note', rank: 3 },
    ],
    ifNone,
  };
}

/** Builds `boh change show`. */
export function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .argument('[name]', 'the name of a change set')
    .description('Show what begins and ends when; with a name, what that change set would change as of now.')
    .examples('boh change show', 'boh change show ramadan')
    .addOption(anyAccountOption('also use change sets of another account'))
    .action(
      presented(context, (name: string | undefined, flags: AnyAccountFlag) =>
        name === undefined ? calendar(flags, context) : show(name, flags, context),
      ),
    );
}

async function calendar(flags: AnyAccountFlag, context: Context): Promise<Result> {
  const { sets } = await openSets(context, flags, { isReading: true });
  const now = context.now().getTime();
  const acts = (sets?.all() ?? [])
    .filter(({ state }) => !overStates.includes(state))
    .flatMap((set) => {
      const begin = set.state === 'planned' ? [{ set, kind: 'begin' as const, at: set.at }] : [];
      return [...begin, ...(set.until === null ? [] : [{ set, kind: 'return' as const, at: set.until }])];
    });
  const days = acts.sort(inOrder).map(({ set, kind, at }) => {
    const { next_at: _, next: __, ...shown } = shownSet(set, at);
    return {
      at: kind === 'begin' ? shown.at : shown.until,
      local: businessTime(at, set.zone),
      act: kind,
      name: set.name,
      is_due: at <= now,
      changes: set.summary,
    };
  });
  return {
    kind: 'facts',
    facts: days,
    key: 'name',
    shown: () =>
      days.map(({ local, act, name, changes, is_due: isDue }) => ({
        when: local,
        act: isDue ? `${act} (due)` : act,
        name,
        changes,
      })),
    columns: [
      { name: 'when', whole: true },
      { name: 'act', whole: true },
      { name: 'name', whole: true },
      { name: 'changes', rank: 1 },
    ],
    ifNone: 'Nothing is planned.',
  };
}

async function show(name: string, flags: AnyAccountFlag, context: Context): Promise<Result> {
  const sets = await setsThere(context, flags);
  const set = sets.named(name);
  const changes = ['planned', 'missed', 'stopped'].includes(set.state)
    ? await preview(set, sets, context)
    : [];
  const shown = shownSet(set, context.now().getTime());
  const conflicts = sets.conflicts(set);
  const lines = [
    `Change set ${set.name}: ${set.state}, ${periodOf(set)}.`,
    ...(set.note === null ? [] : [set.note]),
    ...(set.reason === null ? [] : [set.reason]),
    set.summary,
    ...changes.map(({ line, problem }) => `  ${line}${problem === undefined ? '' : ` (${problem})`}`),
    ...conflicts.map((conflict) => `Also changed by ${conflict.other.name}: ${conflictText(conflict)}.`),
  ];
  return {
    kind: 'facts',
    facts: {
      ...shown,
      conflicts: conflicts.map(({ other, how, fields }) => ({ name: other.name, how, fields })),
      changes: changes.map(({ row, problem }) => ({ ...row, changed_since: problem ?? null })),
    },
    text: lines.map((line) => `${cleanLine(line)}\n`).join(''),
    notes:
      set.state === 'planned'
        ? []
        : [`Its run: ${set.run}${set.returnRun === null ? '' : `; its undo: ${set.returnRun}`}`],
  };
}

interface Previewed {
  row: RowResult & { changes: ReturnType<typeof changesOf> };
  line: string;
  /** Why it is no longer as planned. */
  problem: string | undefined;
}

/** Compares the plan of a set with the records as they are now. */
async function preview(set: ChangeSet, sets: ChangeSets, context: Context): Promise<Previewed[]> {
  const scratch = openScratch('change');
  try {
    const file = join(scratch.path, 'plan.sqlite');
    sets.writePlan(set, file);
    const ledger = new Ledger(file);
    const { who: whoChanged, close } = await changedSincePlanned(ledger, context);
    try {
      const session = await context.session();
      const changed = await rowsChanged({ ledger, session, others: new OtherRows(ledger), whoChanged });
      const problems = new Map(changed.map(({ row, why }) => [row.seq, why]));
      const options = { api: context.api, resource: resourceIn(ledger), isWindow: false };
      return [...ledger.rows('planned')].map((row) => ({
        row: { ...resultOf(row), changes: changesOf(row) },
        line: plannedLine(row, options),
        problem: problems.get(row.seq),
      }));
    } finally {
      close();
      ledger.close();
    }
  } finally {
    scratch.remove();
  }
}
