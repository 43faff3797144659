/** A plan as a result, and what it comes to in a sentence. */
import type { Page, Result } from '../../interaction/output/result.ts';
import { type Change, type ChangeAction, changeRecord } from '../../manifest/plan/change.ts';
import type { Plan } from '../../manifest/plan/make-plan.ts';
import { writesOf } from '../../manifest/plan/writes.ts';
import type { Session } from '../../session/session.ts';
import { numeral } from '../../terminal/numeral.ts';

export async function planResult(plan: Plan): Promise<Result> {
  return {
    kind: 'facts',
    facts: { changes: plan.changes.map(changeRecord) },
    text: await textOf(plan.changes),
    remarks: [...plan.remarks, summary(plan)],
  };
}

/** The same of what is to be applied: what of it can’t be taken back is said. */
export async function foretoldPlan(plan: Plan, session: Session): Promise<Result> {
  await session.foretell(writesOf(plan));
  return planResult(plan);
}

/** `2 to create, 1 to update; 57 as declared.` */
export function summary({ changes, matches }: Plan): string {
  const counts = (['create', 'update', 'delete'] as const).flatMap((action) => {
    const count = changes.filter((change) => change.action === action).length;
    return count === 0 ? [] : [`${numeral(count)} to ${action}`];
  });
  const updated = changes.filter(({ action }) => action === 'update').length;
  const same = matches.size - updated;
  const rest = same > 0 ? `${numeral(same)} as declared` : '';
  if (counts.length === 0) return `Nothing to do: ${rest || 'nothing is declared'}.`;
  return `${counts.join(', ')}${rest && `; ${rest}`}.`;
}

/** The same of two accounts: what is only here, only there, and what differs. */
export function summaryOfAccounts(
  { changes, matches }: Plan,
  { from, to }: { from: string; to: string },
): string {
  const count = (action: ChangeAction) => changes.filter((change) => change.action === action).length;
  const parts = [
    [count('create'), `only in ${from} (+)`],
    [count('delete'), `only in ${to} (-)`],
    [count('update'), `different (~: ${to} → ${from})`],
    [matches.size - count('update'), 'alike'],
  ] as const;
  const told = parts.filter(([number]) => number > 0).map(([number, what]) => `${numeral(number)} ${what}`);
  return `${told.join(', ') || 'Neither has any record'}.`;
}

/** Mostly there is nothing to show: what measures texts is not loaded then. */
export async function textOf(changes: readonly Change[]): Promise<(page: Page) => string> {
  if (changes.length === 0) return () => '';
  const { planText } = await import('./plan-text.ts');
  return (page) => planText(changes, page);
}
