/** Forgets a record in the stored plans of change sets; such a row is never sent. */
import { join } from 'node:path';
import { openScratch } from '../base/scratch.ts';
import type { Api } from '../contract/api.ts';
import { Ledger } from '../runs/ledger/ledger.ts';
import type { LedgerRow } from '../runs/ledger/row.ts';
import { noteRowDigest } from '../runs/ledger/row-digest.ts';
import type { ChangeSet } from './change-set.ts';
import type { ChangeSets } from './change-sets.ts';
import { touchedBy } from './touched.ts';

/** A record to be forgotten. */
export interface Forgetting {
  api: Api;
  /** Returns what tells, for a ledger, which of its rows contain anything about the record. */
  isMeantIn(ledger: Ledger): (row: LedgerRow) => boolean;
  /** The names of the record that are known from elsewhere. */
  names: readonly string[];
}

/** The text that replaces a summary with a name of the record. */
const forgotten = '(forgotten)';

/** Deletes what the sets contain about the record, also from the bytes of their file. Returns how many rows of plans it was. */
export async function forgetInSets(sets: ChangeSets, forgetting: Forgetting): Promise<number> {
  let rows = 0;
  for (const set of sets.all()) {
    const hasPlan = set.state !== 'ended' && set.state !== 'canceled';
    const found = hasPlan ? await forgetInPlan(set, sets, forgetting) : [];
    rows += found.length;
    const texts = [...forgetting.names, ...found].filter((text) => text !== '');
    const isNaming = (text: string | null) => text !== null && texts.some((name) => text.includes(name));
    sets.change(set, {
      summary: isNaming(set.summary) ? forgotten : set.summary,
      note: isNaming(set.note) ? null : set.note,
      reason: isNaming(set.reason) ? null : set.reason,
    });
  }
  await sets.scrub();
  return rows;
}

/** Returns the keys of the rows that were about the record. */
async function forgetInPlan(
  set: ChangeSet,
  sets: ChangeSets,
  { api, isMeantIn }: Forgetting,
): Promise<string[]> {
  const scratch = openScratch('forget');
  try {
    const planFile = join(scratch.path, 'plan.sqlite');
    sets.writePlan(set, planFile);
    const ledger = new Ledger(planFile);
    const isMeant = isMeantIn(ledger);
    const keys = [...ledger.rows('planned', 'bad', 'done')]
      .filter(isMeant)
      .map(({ key, id }) => key ?? id ?? '');
    ledger.forget(isMeant);
    noteRowDigest(ledger);
    await ledger.scrub();
    const touched = [...touchedBy(ledger, { api })];
    ledger.close();
    const { summary, run } = set;
    if (keys.length > 0) sets.change(set, {}, { summary, run, touched, planFile });
    return keys;
  } finally {
    scratch.remove();
  }
}
