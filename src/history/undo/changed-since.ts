/** Who has changed what an undo would have taken back, and when: as far as the journal or the record tells. */
import { formatTimestamp } from '../../contract/moment.ts';
import type { Row } from '../../session/row.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { someEntries } from '../journal/reading.ts';

export interface Place {
  resource: string;
  id: string;
  field: string | undefined;
  /** Of a link, the id of what it leads to. */
  other?: string | undefined;
}

/** Later than a write, or than the moment at which a run was planned, in milliseconds since 1970; by anything but that run. */
export type Since = { number: number } | { at: number; run: string | undefined };

/** The journal, and those in it whose writes are meant: another business at the same address may have the same ids. */
export interface Looked {
  journal: Journal;
  accounts: readonly number[] | undefined;
}

/** As many later writes to a record are looked at. */
const mostLooked = 200;

/** `by entry 512 (boh inventory-items update 42 --cost 9) at 2026-11-22 08:00:00 UTC`. Without a journal nobody is known. */
export function changedSince(
  looked: Looked | undefined,
  place: Place,
  since: Since,
  record: Row | undefined,
): string {
  const { other, ...filter } = place;
  const isLater = (entry: Entry) =>
    'number' in since ? entry.number > since.number : entry.at >= since.at && entry.run !== since.run;
  // What isn’t about one link may have been about each.
  const isOf = ({ sent }: Entry) => other === undefined || (sent?.ids[1] ?? other) === other;
  const found = looked
    ? someEntries(looked.journal, { ...filter, accounts: looked.accounts }, { limit: mostLooked })
    : [];
  const last = found.find((entry) => isLater(entry) && isOf(entry) && entry.outcome !== 'refused');
  if (last) {
    const who = last.user ?? last.command?.profile;
    const line = last.command ? ` (${last.command.line})` : '';
    return `by ${who ? `${who}, ` : ''}entry ${last.number}${line} at ${formatTimestamp(new Date(last.at))} UTC`;
  }
  const at = typeof record?.updated_at === 'string' ? ` at ${record.updated_at} UTC` : '';
  return `by somebody else${at}`;
}
