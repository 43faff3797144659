/** What a rehearsal comes to: what was refused, what became of the stock and of loyalty, who was told, and what it can’t say. */
import { changeRecord } from '../../manifest/plan/change.ts';
import type { Rehearsed } from '../../manifest/rehearse.ts';
import type { Page, Result } from '../../output/result.ts';
import type { SandboxEffects } from '../../sandbox/business/effects.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { spaceBehind } from '../../terminal/isolate.ts';
import { wrapped } from '../../terminal/wrap.ts';
import { summary, textOf } from './show-plan.ts';

export async function rehearsalResult(
  { plan, results, limits, loyalty }: Rehearsed,
  { stock, notifications }: SandboxEffects,
  called: string,
): Promise<Result> {
  const refused = results
    .filter(({ outcome }) => outcome !== 'done')
    .map(({ resource, key, action, error }) => ({
      resource,
      key,
      action,
      message: error?.message ?? null,
      fields: error?.fields ?? null,
    }));
  const changes = await textOf(plan.changes);
  const lines = ({ isWindow }: Page) => [
    ...refused.map(({ key, message }) => `refused: ${key ?? ''}: ${message ?? ''}`),
    ...stock.map(
      (each) =>
        `stock: ${each.item} at ${each.place}:${isWindow ? spaceBehind(each.place) : ' '}${each.old} → ${each.new}`,
    ),
    ...loyalty.map(({ resource, id }) => `loyalty: ${resource} ${id}`),
    ...notifications.map(({ type, branch, users }) => `notified: ${users.join(', ')}: ${type} (${branch})`),
  ];
  const end =
    refused.length === 0
      ? 'All of it was taken.'
      : `${refused.length} of ${results.length} changes were refused.`;
  return {
    kind: 'facts',
    facts: {
      changes: plan.changes.map(changeRecord),
      refused,
      stock,
      loyalty,
      notifications,
      not_rehearsed: limits,
    },
    text: (page: Page) =>
      changes(page) +
      lines(page)
        .map((line) => effectText(line, page))
        .join(''),
    remarks: [...plan.remarks, ...limits, summary(plan, called), `${end} The account was only read.`],
  };
}

/** In a window all its lines but the first stand further in. */
export function effectText(line: string, { isWindow, width }: Page): string {
  const clean = cleanLine(line);
  return `${isWindow ? wrapped(clean, width - further.length).join(`\n${further}`) : clean}\n`;
}

const further = '    ';
