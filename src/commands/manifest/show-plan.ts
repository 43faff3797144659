/** Converts the changes of a plan or a comparison to a result. */

import { exitCodes } from '../../base/errors.ts';
import { shortenValue } from '../../base/short-value.ts';
import type { AccountComparison } from '../../manifest/comparison/compare-accounts.ts';
import { type ChangeAction, changeRecord, type Difference } from '../../manifest/plan/change.ts';
import type { ManifestPlan } from '../../manifest/plan/make-plan.ts';
import type { DisplayOptions, Result } from '../../output/result.ts';
import type { Action } from '../../runs/ledger/row.ts';
import { formatCount } from '../../terminal/format-count.ts';
import { type PlanWords, summarizePlan } from '../bulk/show-plan.ts';
import { formatPlanMarkdown } from './plan-markdown.ts';
import { formatPlan } from './plan-text.ts';

/** Returns the changes of a plan: manifest records for programs, and text for people. */
export function changesResult({ changes, notCompared }: ManifestPlan): Result {
  return {
    kind: 'data',
    data: {
      changes: changes.map(changeRecord),
      ...(notCompared.length > 0 && { not_compared: notCompared }),
    },
    text: createChangesFormatter(changes),
    markdown: () => formatPlanMarkdown(changes, notCompared),
  };
}

/** Counts the records of a plan by action. A record and its links count as one. */
export function countRecords({ changes, matches }: ManifestPlan): {
  counts: Map<Action, number>;
  unchanged: number;
} {
  const counts = new Map<Action, number>();
  for (const { action } of changes) counts.set(action, (counts.get(action) ?? 0) + 1);
  const declaredMatches = matches.keys().filter(({ isAbsent }) => !isAbsent);
  return { counts, unchanged: [...declaredMatches].length - (counts.get('update') ?? 0) };
}

/** Returns the wording for a plan of files. `label` names the files. */
export function planWordsFor({ notCompared }: ManifestPlan, label: string): PlanWords {
  return {
    label: shortenValue(label),
    resource: { noun: 'record', nouns: 'records' },
    unchanged: notCompared.length === 0 ? 'unchanged' : 'unchanged in the compared data',
  };
}

/** Returns the summary of a plan that isn't applied. */
export function summarizeManifestPlan(plan: ManifestPlan, label: string): string {
  const records = countRecords(plan);
  const total = plan.changes.length + records.unchanged;
  return summarizePlan({ ...records, excluded: 0, total }, planWordsFor(plan, label));
}

/** The help text for the exit codes of `comparedExitCode`. */
export const comparedExitCodesHelp =
  'exit with 10 if there are changes, or with 9 if there are no changes but something could not be compared';

/** Returns the exit code of a comparison: 10 for differences, 9 if something could not be compared, otherwise 0. */
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

/** Returns the result of comparing two accounts: the differences, and the data that could not be compared. */
export function comparisonResult(
  { changes, same, notCompared }: AccountComparison,
  names: { from: string; to: string },
): Result {
  return {
    kind: 'data',
    data: { changes: changes.map(changeRecord), not_compared: notCompared },
    text: createChangesFormatter(changes),
    markdown: () => formatPlanMarkdown(changes, notCompared),
    notes: [...notCompared, summarizeAccounts({ changes, same, notCompared }, names)],
  };
}

/** Returns the numbers of records in only one account, of different records, and of identical records. */
function summarizeAccounts(
  { changes, same, notCompared }: AccountComparison,
  { from, to }: { from: string; to: string },
): string {
  const countChanges = (action: ChangeAction) => changes.filter((change) => change.action === action).length;
  const parts = [
    [countChanges('create'), `only in ${from} (+)`],
    [countChanges('delete'), `only in ${to} (-)`],
    [countChanges('update'), `different (~: ${to} → ${from})`],
    [same, notCompared.length === 0 ? 'identical' : 'identical in the compared fields'],
  ] as const;
  const nonZeroParts = parts
    .filter(([count]) => count > 0)
    .map(([count, label]) => `${formatCount(count)} ${label}`);
  return `${nonZeroParts.join(', ') || 'Neither account has records'}.`;
}

/** Returns a function that formats changes as text for a page. */
export function createChangesFormatter(changes: readonly Difference[]): (display: DisplayOptions) => string {
  return (display) => (changes.length === 0 ? '' : formatPlan(changes, display));
}
