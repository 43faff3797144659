/** A plan as a result, and what it comes to in a sentence. */
import { exitCodes } from '../../errors.ts';
import type { Page, Result } from '../../interaction/output/result.ts';
import type { Comparison } from '../../manifest/comparison/compare-accounts.ts';
import { type ChangeAction, changeRecord, type Difference } from '../../manifest/plan/change.ts';
import type { Plan } from '../../manifest/plan/make-plan.ts';
import { writesOf } from '../../manifest/plan/writes.ts';
import type { Session } from '../../session/session.ts';
import { numeral } from '../../terminal/numeral.ts';

export async function planResult(plan: Plan): Promise<Result> {
  return {
    kind: 'facts',
    facts: {
      changes: plan.changes.map(changeRecord),
      ...(plan.notCompared.length > 0 && { not_compared: plan.notCompared }),
    },
    text: await textOf(plan.changes),
    remarks: [...plan.remarks, summary(plan)],
  };
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

/** The same of what is to be applied: what of it can’t be taken back is said. */
export async function foretoldPlan(plan: Plan, session: Session): Promise<Result> {
  await session.foretell(writesOf(plan));
  return planResult(plan);
}

/** `2 to create, 1 to update; 57 as declared.` */
export function summary({ changes, matches, notCompared }: Plan): string {
  const counts = (['create', 'update', 'delete'] as const).flatMap((action) => {
    const count = changes.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${numeral(count)} to ${action}`];
  });
  const updated = changes.filter(({ action }) => action === 'update').length;
  const same = matches.size - updated;
  const as = notCompared.length === 0 ? 'as declared' : 'as declared in what was compared';
  const rest = same > 0 ? `${numeral(same)} ${as}` : '';
  if (counts.length === 0) return `Nothing to do: ${rest || 'nothing is declared'}.`;
  return `${counts.join(', ')}${rest && `; ${rest}`}.`;
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
