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
import { planMarkdown } from './plan-markdown.ts';
import { planText } from './plan-text.ts';

/** Returns the changes of a plan: as records of manifests for programs, and in lines for people. */
export function changesResult({ changes, notCompared }: ManifestPlan): Result {
  return {
    kind: 'facts',
    facts: {
      changes: changes.map(changeRecord),
      ...(notCompared.length > 0 && { not_compared: notCompared }),
    },
    text: textOf(changes),
    markdown: () => planMarkdown(changes, notCompared),
  };
}

/** Counts the records of a plan by what is done to them; a record counts once, with its links. */
export function recordsIn({ changes, matches }: ManifestPlan): {
  counts: Map<Action, number>;
  unchanged: number;
} {
  const counts = new Map<Action, number>();
  for (const { action } of changes) counts.set(action, (counts.get(action) ?? 0) + 1);
  const kept = matches.keys().filter(({ isAbsent }) => !isAbsent);
  return { counts, unchanged: [...kept].length - (counts.get('update') ?? 0) };
}

/** Returns the words of a plan for files; `label` names them. */
export function declaredWords({ notCompared }: ManifestPlan, label: string): PlanWords {
  return {
    label: shortValue(label),
    resource: { noun: 'record', nouns: 'records' },
    unchanged: notCompared.length === 0 ? 'as declared' : 'as declared in what was compared',
  };
}

/** Returns the summary of a plan that is only shown. */
export function summary(plan: ManifestPlan, label: string): string {
  const records = recordsIn(plan);
  const total = plan.changes.length + records.unchanged;
  return summaryOf({ ...records, excluded: 0, total }, declaredWords(plan, label));
}

/** What `comparedExitCode` returns, for help texts. */
export const comparedExitCodes =
  'exit with 10 if there are changes, or with 9 if there are none but something could not be compared';

/** Returns the exit code of a comparison: 10 if anything differs, else 9 if something could not be compared, else 0. */
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

/** Returns the result of comparing two accounts: what differs, and what could not be compared. */
export function comparisonResult(
  { changes, same, notCompared }: Comparison,
  names: { from: string; to: string },
): Result {
  return {
    kind: 'facts',
    facts: { changes: changes.map(changeRecord), not_compared: notCompared },
    text: textOf(changes),
    markdown: () => planMarkdown(changes, notCompared),
    notes: [...notCompared, summaryOfAccounts({ changes, same, notCompared }, names)],
  };
}

/** Counts the records that only one account has, that differ, and that are identical. */
function summaryOfAccounts(
  { changes, same, notCompared }: Comparison,
  { from, to }: { from: string; to: string },
): string {
  const count = (action: ChangeAction) => changes.filter((change) => change.action === action).length;
  const parts = [
    [count('create'), `only in ${from} (+)`],
    [count('delete'), `only in ${to} (-)`],
    [count('update'), `different (~: ${to} → ${from})`],
    [same, notCompared.length === 0 ? 'identical' : 'identical in the compared fields'],
  ] as const;
  const counted = parts
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${numeral(number)} ${what}`);
  return `${counted.join(', ') || 'Neither account has records'}.`;
}

/** Returns the text of changes for a page. */
export function textOf(changes: readonly Difference[]): (page: Page) => string {
  return (page) => (changes.length === 0 ? '' : planText(changes, page));
}
