/** Who has changed what an undo would have taken back, and when: as far as the journal or the record tells. */
import { formatTimestamp } from '../../contract/moment.ts';
import type { Row } from '../../session/row.ts';
import type { Journal } from '../journal/journal.ts';
import { someEntries } from '../journal/reading.ts';

export interface Place {
  resource: string;
  id: string;
  field: string | undefined;
  /** The write that was to be taken back. */
  number: number;
}

/** As many later writes to a record are looked at. */
const mostLooked = 200;

/** `by entry 512 (boh inventory-items update 42 --cost 9) at 2026-11-22 08:00:00 UTC` */
export function changedSince(
  journal: Journal,
  { resource, id, field, number }: Place,
  record: Row | undefined,
): string {
  const later = someEntries(journal, { resource, id, field }, { limit: mostLooked }).filter(
    (entry) => entry.number > number && entry.outcome !== 'refused',
  );
  const [last] = later;
  if (last) {
    const who = last.user ?? last.command?.profile;
    const line = last.command ? ` (${last.command.line})` : '';
    return `by ${who ? `${who}, ` : ''}entry ${last.number}${line} at ${formatTimestamp(new Date(last.at))} UTC`;
  }
  const at = typeof record?.updated_at === 'string' ? ` at ${record.updated_at} UTC` : '';
  return `by somebody else${at}`;
}
