/** Forgets a record in the stored plans of change sets. Forgotten rows are never sent. */
import type { Api } from '../../api/contract/api.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import type { LedgerRow } from '../runs/ledger/row.ts';
import { recordRowDigest } from '../runs/ledger/saved-plan.ts';
import { type ChangeSet, touchedFields } from './change-set.ts';
import type { ChangeSets } from './change-sets.ts';

/** A record to be forgotten. */
export interface ForgetRequest {
  api: Api;
  /** Returns a filter for the rows of a ledger that contain data about the record. */
  rowFilter(ledger: Ledger): (row: LedgerRow) => boolean;
  /** Names of the record that other sources contain. */
  names: readonly string[];
}

/** The text that replaces a summary with a name of the record. */
const forgottenText = '(forgotten)';

/** Deletes the data about the record from the sets. Returns the number of plan rows. */
export function forgetInSets(sets: ChangeSets, request: ForgetRequest): number {
  let rowCount = 0;
  for (const set of sets.all()) {
    const hasPlan = set.state !== 'ended' && set.state !== 'canceled';
    const keys = hasPlan ? forgetInPlan(set, sets, request) : [];
    rowCount += keys.length;
    const names = [...request.names, ...keys].filter((text) => text !== '');
    const containsName = (text: string | null) => text !== null && names.some((name) => text.includes(name));
    sets.change(set, {
      summary: containsName(set.summary) ? forgottenText : set.summary,
      note: containsName(set.note) ? null : set.note,
      reason: containsName(set.reason) ? null : set.reason,
    });
  }
  return rowCount;
}

/** Deletes the rows about the record from a plan, and returns their keys. */
function forgetInPlan(set: ChangeSet, sets: ChangeSets, { api, rowFilter }: ForgetRequest): string[] {
  return sets.withPlan(set, (plan) => {
    const isAboutRecord = rowFilter(plan);
    const keys = [...plan.rows('planned', 'bad', 'done')]
      .filter(isAboutRecord)
      .map(({ key, id }) => key ?? id ?? '');
    sets.write(() => {
      if (plan.forget(isAboutRecord) === 0) return;
      recordRowDigest(plan);
      sets.setTouched(set, touchedFields(plan, { api }));
    });
    return keys;
  });
}
