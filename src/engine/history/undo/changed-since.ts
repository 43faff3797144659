/** Describes who changed a record since a write, and when, according to the journal or the record. */

import type { Row } from '../../../account/session/row.ts';
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { pageOfEntries } from '../journal/reading.ts';

/** A field or link of a record. */
export interface RecordPart {
  resource: string;
  id: string;
  field: string | undefined;
  /** For a link, the ID of the other record. */
  linkedId?: string | undefined;
}

/**
 * The start of the search: a write, or the time (milliseconds since 1970) at which a run was planned; writes of that
 * run are ignored.
 */
export type Since = { number: number } | { at: number; run: string | undefined };

/** The maximum number of later writes to a record that are checked. */
const maxCheckedWrites = 200;

/**
 * Returns who changed a part of a record and when, for example `by entry 512 (boh inventory-items update 42 --cost 9) at
 * 2026-11-22 08:00:00 UTC`.
 */
export function changedSince(
  journal: Journal | undefined,
  part: RecordPart,
  since: Since,
  record: Row | undefined,
): string {
  const { linkedId, ...filter } = part;
  const isLater = (entry: Entry) =>
    'number' in since ? entry.number > since.number : entry.at >= since.at && entry.run !== since.run;
  // A write that isn't about a single link may have changed every link.
  const isAboutLink = ({ sent }: Entry) => linkedId === undefined || (sent?.ids[1] ?? linkedId) === linkedId;
  const newestEntries = journal ? pageOfEntries(journal, filter, { limit: maxCheckedWrites }) : [];
  const lastWrite = newestEntries.find(
    (entry) => isLater(entry) && isAboutLink(entry) && entry.outcome !== 'refused',
  );
  if (lastWrite) {
    const author = lastWrite.user ?? lastWrite.command?.profile;
    const line = lastWrite.command ? ` (${lastWrite.command.line})` : '';
    return `by ${author ? `${author}, ` : ''}entry ${lastWrite.number}${line} at ${formatTimestamp(new Date(lastWrite.at))} UTC`;
  }
  const timeSuffix = typeof record?.updated_at === 'string' ? ` at ${record.updated_at} UTC` : '';
  return `by someone else${timeSuffix}`;
}
