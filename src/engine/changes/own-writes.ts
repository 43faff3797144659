/** Accepts values that other change sets of the account wrote to the records of a plan: these don't count as conflicts. */

import { isRow, type Row } from '../../account/session/row.ts';
import type { Journal } from '../history/journal/journal.ts';
import { pageOfEntries } from '../history/journal/reading.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { recordIdPlaceholder, type Step } from '../runs/ledger/row.ts';
import type { ChangeSets } from './change-sets.ts';

/** The maximum number of writes to a field that are checked, newest first: the service may have refused the newest. */
const maxCheckedWrites = 5;

/**
 * Updates the baseline values of a plan: where a change set has written a field since the plan was made, and was the last to
 * write it, its value replaces the baseline value. Older writes don't count: the plan has read the record after them. A set that was planned before another set began can then begin within it, and a set that was planned within
 * another set can begin after it. `sets` are the sets of the account.
 */
export function acceptOwnWrites(ledger: Ledger, journal: Journal, sets: ChangeSets): void {
  const runs = new Set(sets.all().flatMap(({ run, returnRun }) => [run, returnRun]));
  const plannedAt = Number(ledger.property('since') ?? 0);
  const lastWrittenBody = (resource: string, id: string, field: string): Row | undefined => {
    const newestEntries = pageOfEntries(journal, { resource, id, field }, { limit: maxCheckedWrites });
    const lastWrite = newestEntries.find(({ outcome }) => outcome !== 'refused');
    if (!lastWrite || lastWrite.at < plannedAt || !runs.has(lastWrite.run)) return undefined;
    const requestBody = lastWrite.sent?.request.body;
    return [lastWrite.answered?.after, requestBody].find(
      (row): row is Row => isRow(row) && Object.hasOwn(row, field),
    );
  };
  const changes = [...ledger.rows('planned')].flatMap(({ seq, id, steps }) => {
    const acceptedSteps = steps.map((step): Step => {
      const recordId = step.ids[0] === recordIdPlaceholder ? id : step.ids[0];
      if (!step.known || typeof recordId !== 'string') return step;
      const baseline = Object.entries(step.known).map(([name, value]) => {
        const writtenBody = lastWrittenBody(step.resource, recordId, name);
        return [name, writtenBody ? writtenBody[name] : value];
      });
      return { ...step, known: Object.fromEntries(baseline) };
    });
    return steps.some(({ known }) => known) ? [{ seq, steps: acceptedSteps }] : [];
  });
  ledger.write(() => {
    for (const { seq, steps } of changes) ledger.change(seq, { steps });
  });
}
