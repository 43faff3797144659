/** The history of a cost in words. */
import { shortName } from '../short-name.ts';
import type { CostHistory } from './cost-history.ts';

export interface Costed {
  name: string;
  unit: string | null;
}

export function costWords(history: CostHistory, { name, unit }: Costed): string[] {
  const { changes, drafts, now } = history;
  const [first, last] = [changes[0], changes.at(-1)];
  const perUnit = unit === null ? '' : ` for one ${unit}`;
  return [
    ...changes.map(
      ({ day, before, cost, change, reference, branch }) =>
        `${day}: ${before === null ? '' : `from ${before} `}to ${cost}${changeWords(change)}${whereWords(reference, branch)}.`,
    ),
    ...(first && last && changes.length > 1 ? [spanWords(history)] : []),
    ...(changes.length === 0
      ? [`No cost adjustment that is closed changes what ${shortName(name)} costs.`]
      : []),
    ...(now === null ? [] : [`${shortName(name)} costs ${now}${perUnit} now.`]),
    ...(now !== null && last && last.cost !== now
      ? [`That is not what the last adjustment set: it was changed otherwise, or costs differ by branch.`]
      : []),
    ...drafts.map(
      ({ cost, reference, branch }) => `Not in effect yet: ${cost}${whereWords(reference, branch)}.`,
    ),
  ];
}

function spanWords({ changes }: CostHistory): string {
  const costs = changes.map(({ cost }) => cost);
  return `Between ${Math.min(...costs)} and ${Math.max(...costs)} since ${changes[0]?.day}.`;
}

function changeWords(change: number | null): string {
  if (change === null || change === 0) return '';
  const percent = Math.abs(change * 100);
  return `, ${change > 0 ? 'up' : 'down'} ${percent.toLocaleString('en-US', { maximumFractionDigits: 1 })}%`;
}

function whereWords(reference: string | null, branch: string | null): string {
  const words = [reference, branch].filter((word) => word !== null);
  return words.length === 0 ? '' : ` (${words.join(', ')})`;
}
