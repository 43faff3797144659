/** Builds the history of a record's cost from the cost adjustments that changed it, oldest first. */
import { compareStrings } from '../../../base/compare-strings.ts';

export interface CostLine {
  /** The ID of the cost adjustment. */
  id: string;
  reference: string | null;
  /** The date as `YYYY-MM-DD`; null if the adjustment was never posted. */
  day: string | null;
  /** Whether the adjustment is in effect. Drafts aren't. */
  isInEffect: boolean;
  branch: string | null;
  cost: number;
  previousCost: number | null;
}

/** The cost adjustments of a record and its current cost. */
export interface CostHistory {
  /** The dated adjustments in effect, oldest first. */
  changes: readonly (CostLine & { day: string; change: number | null })[];
  /** All other adjustments. They haven't changed the cost. */
  drafts: readonly CostLine[];
  /** The cost that the record itself has. */
  currentCost: number | null;
}

export function buildCostHistory(lines: readonly CostLine[], currentCost: number | null): CostHistory {
  const effective = lines
    .filter((line): line is CostLine & { day: string } => line.isInEffect && line.day !== null)
    .sort((a, b) => compareStrings(a.day, b.day));
  return {
    changes: effective.map((line, index) => {
      const previousCost = line.previousCost ?? effective[index - 1]?.cost ?? null;
      return {
        ...line,
        previousCost,
        change: previousCost === null || previousCost === 0 ? null : line.cost / previousCost - 1,
      };
    }),
    drafts: lines.filter(({ isInEffect, day }) => !isInEffect || day === null),
    currentCost,
  };
}

/** Returns one flat record for each adjustment, for programs. */
export function costRows({ changes, drafts }: CostHistory): object[] {
  const toRow = (
    { id, reference, day, branch, previousCost, cost }: CostLine,
    change: number | null,
    isInEffect: boolean,
  ) => ({
    id,
    reference,
    business_date: day,
    branch,
    previous_cost_per_unit: previousCost,
    cost_per_unit: cost,
    change_percent: change === null ? null : Math.round(change * 10_000) / 100,
    is_done: isInEffect,
  });
  return [
    ...changes.map((line) => toRow(line, line.change, true)),
    ...drafts.map((line) => toRow(line, null, false)),
  ];
}
