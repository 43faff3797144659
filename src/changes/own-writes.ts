/** Accepts what other change sets of the account have written to the records of a plan: no one else has changed them. */
import { someEntries } from '../history/journal/reading.ts';
import type { JournalScope } from '../history/undo/changed-since.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { ownId, type Step } from '../runs/ledger/row.ts';
import { isRow, type Row } from '../session/row.ts';

/** How many of the newest writes to a field are checked: the newest may have been refused. */
const maxCheckedWrites = 5;

/**
 * Updates the records that a plan was made with: where a change set was the last to write a field, the set's value replaces
 * the plan's baseline value. A set that was planned before another one began can begin within it, and one
 * that was planned within another can begin after it. `runs` are the runs of the change sets.
 */
export function acceptOwnWrites(
  ledger: Ledger,
  { journal, accounts }: JournalScope,
  runs: ReadonlySet<string>,
): void {
  const writtenBy = (resource: string, id: string, field: string): Row | undefined => {
    const newest = someEntries(journal, { resource, id, field, accounts }, { limit: maxCheckedWrites });
    const last = newest.find(({ outcome }) => outcome !== 'refused');
    if (!last || !runs.has(last.run)) return undefined;
    const given = last.sent?.request.body;
    return [last.answered?.after, given].find((row): row is Row => isRow(row) && Object.hasOwn(row, field));
  };
  const changes = [...ledger.rows('planned')].flatMap(({ seq, id, steps }) => {
    const accepted = steps.map((step): Step => {
      const own = step.ids[0] === ownId ? id : step.ids[0];
      if (!step.known || typeof own !== 'string') return step;
      const known = Object.entries(step.known).map(([name, value]) => {
        const written = writtenBy(step.resource, own, name);
        return [name, written ? written[name] : value];
      });
      return { ...step, known: Object.fromEntries(known) };
    });
    return steps.some(({ known }) => known) ? [{ seq, steps: accepted }] : [];
  });
  ledger.write(() => {
    for (const { seq, steps } of changes) ledger.change(seq, { steps });
  });
}
