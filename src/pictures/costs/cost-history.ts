/** What a record has cost over time, from the documents that changed it; oldest first. */

/** A line of a document. */
export interface CostLine {
  /** Of the document. */
  id: string;
  reference: string | null;
  /** `YYYY-MM-DD`; null where it was never posted. */
  day: string | null;
  /** Whether it is done: a draft changes nothing yet. */
  isDone: boolean;
  branch: string | null;
  cost: number;
  before: number | null;
}

export interface CostHistory {
  /** Those that are done and have a day, oldest first. */
  changes: readonly (CostLine & { day: string; change: number | null })[];
  /** Those that are not: they have changed nothing. */
  drafts: readonly CostLine[];
  /** What the record itself says of its cost. */
  now: number | null;
}

export function costHistory(lines: readonly CostLine[], now: number | null): CostHistory {
  const done = lines
    .filter((line): line is CostLine & { day: string } => line.isDone && line.day !== null)
    .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0));
  return {
    changes: done.map((line, index) => {
      const before = line.before ?? done[index - 1]?.cost ?? null;
      return { ...line, before, change: before === null || before === 0 ? null : line.cost / before - 1 };
    }),
    drafts: lines.filter(({ isDone, day }) => !isDone || day === null),
    now,
  };
}

/** For programs. */
export function costRows({ changes, drafts }: CostHistory): object[] {
  const row = (
    { id, reference, day, branch, before, cost }: CostLine,
    change: number | null,
    isDone: boolean,
  ) => ({
    id,
    reference,
    business_date: day,
    branch,
    previous_cost_per_unit: before,
    cost_per_unit: cost,
    change_percent: change === null ? null : Math.round(change * 10_000) / 100,
    is_done: isDone,
  });
  return [
    ...changes.map((line) => row(line, line.change, true)),
    ...drafts.map((line) => row(line, null, false)),
  ];
}
