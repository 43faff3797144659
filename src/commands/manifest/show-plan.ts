/** The changes of a plan or of a comparison as a result. */
import { exitCodes } from '../../base/errors.ts';
import { shortValue } from '../../base/short-value.ts';
import type { Comparison } from '../../manifest/comparison/compare-accounts.ts';
import { type ChangeAction, changeRecord, type Difference } from '../../manifest/plan/change.ts';
import type { ManifestPlan } from '../../manifest/plan/make-plan.ts';
import type { Page, Result } from '../../output/result.ts';
import type { Action } from '../../runs/ledger/row.ts';
import { numeral } from '../../terminal/numeral.ts';
import { type PlanWords, summaryOf } from '../bulk/show-plan.ts';

/** Returns the changes of a plan: as records of manifests for programs, and in lines for people. */
export async function changesResult({ changes, notCompared }: ManifestPlan): Promise<Result> {
  return {
    kind: 'facts',
    facts: {
      changes: changes.map(changeRecord),
      ...(notCompared.length > 0 && { not_compared: notCompared }),
    },
    text: await textOf(changes),
  };
}

/** Counts the records of a plan by what is done to them; a record counts once, with its links. */
export function recordsIn({ changes, matches }: ManifestPlan): {
  counts: Map<Action, number>;
  unchanged: number;
} {
  const counts = new Map<Action, number>();
  for (const { action } of changes) counts.set(action, (counts.get(action) ?? 0) + 1);
  return { counts, unchanged: matches.size - (counts.get('update') ?? 0) };
}

/** Returns the words of a plan for files; `called` names them. */
export function declaredWords({ notCompared }: ManifestPlan, called: string): PlanWords {
  return {
    called: shortValue(called),
    resource: { noun: 'record', nouns: 'records' },
    unchanged: notCompared.length === 0 ? 'as declared' : 'as declared in what was compared',
  };
}

/** Returns the summary of a plan that is only shown. */
export function summary(plan: ManifestPlan, called: string): string {
  const records = recordsIn(plan);
  const total = plan.changes.length + records.unchanged;
  return summaryOf({ ...records, excluded: 0, total }, declaredWords(plan, called));
}

/** Of a comparison: whether anything differs, else whether anything was left out. */
export function comparedExitCode({
  changes,
  notCompared,
}: {
  changes: readonly unknown[];
  notCompared: readonly string[];
}): number {
  if (changes.length > 0) return exitCodes.differences;
  return notCompared.length > 0 ? exitCodes.partial : 0;
}

/** Two accounts that were compared: what differs, and what could not be compared. */
export async function comparisonResult(
  { changes, same, notCompared }: Comparison,
  names: { from: string; to: string },
): Promise<Result> {
  return {
    kind: 'facts',
    facts: { changes: changes.map(changeRecord), not_compared: notCompared },
    text: await textOf(changes),
    remarks: [...notCompared, summaryOfAccounts({ changes, same, notCompared }, names)],
  };
}

/** What is only here, only there, what differs, and what is the same as far as it was compared. */
function summaryOfAccounts(
  { changes, same, notCompared }: Comparison,
  { from, to }: { from: string; to: string },
): string {
  const count = (action: ChangeAction) => changes.filter((change) => change.action === action).length;
  const parts = [
    [count('create'), `only in ${from} (+)`],
    [count('delete'), `only in ${to} (-)`],
    [count('update'), `different (~: ${to} → ${from})`],
    [same, notCompared.length === 0 ? 'alike' : 'alike in what was compared'],
  ] as const;
  const told = parts.filter(([number]) => number > 0).map(([number, what]) => `${numeral(number)} ${what}`);
  return `${told.join(', ') || 'Neither has any record'}.`;
}

/** Mostly there is nothing to show: what measures texts is not loaded then. */
export async function textOf(changes: readonly Difference[]): Promise<(page: Page) => string> {
  if (changes.length === 0) return () => '';
  const { planText } = await import('./plan-text.ts');
  return (page) => planText(changes, page);
}
