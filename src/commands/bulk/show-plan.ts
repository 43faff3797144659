/** What a run would do, shown before it does it: how many rows of each kind, what changes, and how long it takes. */

import type { Ledger } from '../../bulk/ledger/ledger.ts';
import type { LedgerRow } from '../../bulk/ledger/row.ts';
import type { Intent } from '../../bulk/plan/intent.ts';
import type { ImportPlan } from '../../bulk/plan/plan-import.ts';
import { resultOf } from '../../bulk/run/result.ts';
import { requestsToGo } from '../../bulk/run/to-be-given.ts';
import { writesToCome } from '../../bulk/run/writes-to-come.ts';
import { spanInWords } from '../../client/retry-after.ts';
import { capital } from '../../contract/capital.ts';
import { Failure, type FieldMessages, usage } from '../../errors.ts';
import { asksForName } from '../../interaction/confirming/approve-writes.ts';
import type { Context } from '../../interaction/context.ts';
import type { RunResult } from '../../interaction/output/result.ts';
import { inPlace } from '../../interaction/where.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { foreseenFailure } from './foreseen.ts';
import type { ImportFlags } from './import-flags.ts';
import { placeOf, plannedLine } from './plan-lines.ts';
import { tellAlike } from './tell-alike.ts';

type Plan = Pick<ImportPlan, 'ledger' | 'called' | 'session'> & {
  /** What the rows are called, one and several. */
  resource: { noun: string; nouns: string };
  /** Asked for in any case. */
  isAsked?: boolean;
  /** What is said of the rows that aren't sent, where they aren't bad ones of a file. */
  left?: string;
  /** What is done to the records, where that is one thing: `delete`. */
  verb?: string;
  /** What somebody should know before answering. */
  warning?: string | undefined;
  /** Of the rows that are to be sent, those that people see before they answer: all unless it is said. */
  isPreviewed?(row: LedgerRow): boolean;
};

/** As many bad rows are told of on stderr; all of them are in the results and in the file of failed rows. */
const mostTold = 100;

/** Rows whose changes are shown before somebody is asked. */
const mostShown = 10;

/** Rows that are to be sent, and those of them that delete. */
function countsOf(ledger: Ledger): { changes: number; deletes: number } {
  return { changes: ledger.count('planned'), deletes: ledger.counts()['delete planned'] ?? 0 };
}

/** Bad rows end a run before it begins, unless they are to be left out and others are not bad. */
export function refuseBadRows(plan: Plan, { skipInvalid }: ImportFlags): RunResult | undefined {
  const { ledger, called } = plan;
  const bad = ledger.count('bad');
  if (bad === 0 || (skipInvalid && ledger.count() > bad)) return undefined;
  const fields: FieldMessages = Object.create(null);
  const told = Map.groupBy(ledger.rows('bad').take(mostTold), placeOf);
  for (const [place, rows] of told) {
    // A list may stand in one line: then the key says which row it is.
    const named = (key: string | null) => (rows.length > 1 && key !== null ? `${key}: ` : '');
    fields[place] = rows.map(({ key, error }) => named(key) + (error?.message ?? ''));
  }
  const rest = bad > mostTold ? `, the first ${mostTold} of which are told here` : '';
  const failure = usage(`${called} has ${bad} bad ${bad === 1 ? 'row' : 'rows'}${rest}; nothing was sent.`, {
    fields,
    hint: `Mend them, or leave them out: --skip-invalid.${bad > mostShown ? ' Each by itself: -o ndjson' : ''}`,
  });
  // The failure tells people of them.
  const lines = () => [];
  return {
    kind: 'run',
    isReading: true,
    rows: results(ledger.rows('bad')),
    lines,
    end: async () => ({ failure }),
  };
}

/** Throws where more would change than the line allows. */
export function refuseTooMany({ ledger }: Plan, { maxChanges }: Pick<ImportFlags, 'maxChanges'>): void {
  if (maxChanges === undefined) return;
  const { changes } = countsOf(ledger);
  const rows = ledger.count();
  const isShare = maxChanges.endsWith('%');
  const most = isShare ? Math.floor((rows * Number.parseInt(maxChanges, 10)) / 100) : Number(maxChanges);
  if (changes <= most) return;
  throw usage(
    `${changes} of ${rows} records would change, and --max-changes allows ${most}; nothing was sent.`,
    { hint: 'See what would change: --dry-run. Where it is as it should be, allow more.' },
  );
}

/** What `--dry-run` shows: every row with what would change, field by field; to people those that would change anything. */
export async function plannedRows(
  plan: Plan,
  { exitCode }: Pick<ImportFlags, 'exitCode'>,
  context: Context,
  end: () => Promise<void>,
): Promise<RunResult> {
  const { ledger } = plan;
  await tellPlan(plan, context);
  await foretell(plan);
  const hasChanges = countsOf(ledger).changes > 0;
  async function* rows() {
    for (const row of ledger.rows('planned', 'done', 'bad', 'read'))
      yield {
        ...resultOf(row),
        ...(row.state === 'read' && { action: wantedBy(row) }),
        changes: changesOf(row),
      };
  }
  return {
    kind: 'run',
    isReading: true,
    isPlan: true,
    rows: rows(),
    lines: (isWindow) => plannedLines(plan, { isWindow, api: context.api }),
    end: async () => {
      const failure = await foreseenFailure(ledger, plan.session);
      await end();
      if (hasChanges && exitCode) context.exitCode = 10;
      return { failure };
    },
  };
}

function* plannedLines(
  { ledger, left }: Plan,
  options: { isWindow: boolean; api: Context['api'] },
): Generator<string> {
  const resource = resourceIn(ledger);
  for (const row of ledger.rows('planned', 'bad', 'read')) {
    if (row.state === 'bad') yield leftLine(row, left);
    else {
      const action = row.state === 'read' ? wantedBy(row) : row.action;
      yield plannedLine({ ...row, action }, { ...options, resource, isWhole: true });
    }
  }
}

/** `line 4: left out: cost must be a number.` Where rows come from no file, their reasons say what is left. */
function leftLine(row: LedgerRow, left: string | undefined): string {
  return cleanLine(`${placeOf(row)}: ${left === undefined ? 'left out: ' : ''}${row.error?.message ?? ''}`);
}

/** What a run writes to, where that is one resource. */
export function resourceIn(ledger: Ledger): string | undefined {
  const name = ledger.fact('resource');
  return typeof name === 'string' ? name : undefined;
}

/** Offline nobody knows what is there: what the file asks for is all that can be told. */
function wantedBy({ intent }: LedgerRow): Exclude<Intent['command'], 'upsert'> {
  const { command } = intent as Intent;
  return command === 'upsert' ? 'update' : command;
}

/** Field by field, from what to what. */
export function changesOf({ changes }: LedgerRow) {
  return (
    changes && Object.fromEntries(Object.entries(changes).map(([name, [from, to]]) => [name, { from, to }]))
  );
}

async function tellPlan(
  { ledger, resource, called, session, left = 'bad, left out' }: Plan,
  { streams }: Context,
): Promise<void> {
  const all = ledger.counts();
  const planned = Object.entries(all).flatMap(([name, count]) => {
    const [action, state] = name.split(' ');
    return state === 'planned' ? [`${numeral(count)} to ${action}`] : [];
  });
  const others = [
    [all['skip done'] ?? 0, 'unchanged'],
    [ledger.count('bad'), left],
  ] as const;
  const parts = [
    ...planned,
    ...others.filter(([count]) => count > 0).map(([count, word]) => `${numeral(count)} ${word}`),
  ];
  const rows = `${numeral(ledger.count())} ${ledger.count() === 1 ? resource.noun : resource.nouns}`;
  note(streams, `${called}: ${rows}: ${parts.join(', ') || 'nothing to do'}.`);
  tellAlike(ledger, streams);
  const requests = requestsToGo(ledger, session);
  if (requests === 0) return;
  const pace = await session?.pace(requests);
  const time = pace ? `, about ${spanInWords(pace.ms)} at ${pace.limit}` : '';
  note(streams, `${numeral(requests)} ${requests === 1 ? 'request' : 'requests'}${time}.`);
}

/** Shows what would change, and asks. Throws where the answer is no, or nobody can be asked. */
export async function confirmPlan(plan: Plan, context: Context): Promise<void> {
  const { ledger, resource } = plan;
  const { globals, streams, kept } = context;
  await tellPlan(plan, context);
  const { changes, deletes } = countsOf(ledger);
  const isAsked = (plan.isAsked || changes > 1 || deletes > 0) && !globals.yes;
  const what = `${plan.verb ?? 'write'} ${numeral(changes)} ${changes === 1 ? resource.noun : resource.nouns}`;
  if (isAsked && !streams.interactive) {
    throw usage(`To ${what}, add --yes.`, {
      hint: ['There is no terminal to ask on. --dry-run shows what would be done.', plan.warning]
        .filter(Boolean)
        .join(' '),
    });
  }
  const { session } = plan;
  if (isAsked || (session && asksForName(context, session.settings))) tellFirst(plan, changes, context);
  await foretell(plan);
  if (!isAsked) return;
  if (plan.warning && !kept.lasting.has(plan.warning)) note(streams, inPlace(plan.warning, context));
  const { confirm } = await import('../../terminal/prompts.ts');
  if (await confirm(streams, { message: `${capital(what)}?` })) return;
  throw new Failure('interrupted', 'Nothing was sent.');
}

/** Offline nothing is known of what is there, and so of what would be sent. */
async function foretell({ ledger, session }: Plan): Promise<void> {
  if (session) await session.foretell(writesToCome(ledger, session));
}

/** What is left out is as much of an answer as what is sent. Where nobody is asked, the results tell it. */
function tellLeftOut({ ledger }: Plan, { streams }: Context): void {
  const bad = ledger.count('bad');
  for (const row of ledger.rows('bad').take(mostShown)) note(streams, `  ${leftLine(row, undefined)}`);
  if (bad > mostShown) note(streams, `  … and ${numeral(bad - mostShown)} more (--dry-run shows all)`);
}

function tellFirst(plan: Plan, changes: number, context: Context): void {
  const { streams, api } = context;
  const { ledger, isPreviewed } = plan;
  const shownAs = { api, resource: resourceIn(ledger), isWindow: streams.isTerminal.err };
  tellLeftOut(plan, context);
  const rows = ledger.rows('planned').filter((row) => isPreviewed?.(row) ?? true);
  let count = 0;
  for (const row of rows.take(mostShown)) {
    note(streams, `  ${plannedLine(row, shownAs)}`);
    count++;
  }
  if (changes > count && count > 0)
    note(streams, `  … and ${numeral(changes - count)} more (--dry-run shows all)`);
}

async function* results(rows: Iterable<LedgerRow>) {
  for (const row of rows) yield resultOf(row);
}
