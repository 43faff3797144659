/** Adds to the journal what a run has sent according to its ledger: the disk may have been full, or the journal deleted. */
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { undoingOf } from '../../runs/ledger/undoing.ts';
import { OtherRows } from '../../runs/other-rows.ts';
import { callOf, runPartOf } from '../../runs/send-row.ts';
import type { OutgoingWrite } from '../../session/observed-writes.ts';
import type { Session } from '../../session/session.ts';
import type { Journal } from '../journal/journal.ts';
import { partsOf } from '../journal/run-parts.ts';
import { noteLoss } from '../maintenance/note-loss.ts';
import { knownImage } from '../recording/before-image.ts';
import { entryOf } from '../recording/contents.ts';

/** The journal, the ledger and the session of the run. */
export interface Completing {
  journal: Journal;
  ledger: Ledger;
  session: Session;
  /** Milliseconds since 1970. */
  now: number;
}

/** A part of the run that was sent. */
interface Sent {
  row: LedgerRow;
  name: string;
  isDone: boolean;
  /** The number of its entry, if the journal has one; `write` otherwise. */
  number: number | undefined;
  write: OutgoingWrite | undefined;
}

/** Adds missing entries and outcomes. Returns how many writes were added or completed. */
export async function completeRun({ journal, ledger, session, now }: Completing): Promise<number> {
  const run = ledger.id;
  if (run === undefined) return 0;
  const known = partsOf(journal, run);
  const others = new OtherRows(ledger);
  let count = 0;
  for (const rows of ledger.batches('planned', 'sent', 'done', 'failed', 'unknown')) {
    const missing: Sent[] = [];
    for (const row of rows) {
      for (const { name, isDone, step } of partsSent(row, ledger)) {
        const there = known.get(name);
        if (there && (there.isEnded || !isDone)) continue;
        const write = there ? undefined : await writeOf({ ...row, step }, { ledger, session, others });
        missing.push({ row, name, isDone, number: there?.number, write });
      }
    }
    if (missing.length > 0) add(missing, { journal, ledger, session, now });
    count += missing.length;
  }
  return count;
}

/** Returns the steps of a row that were sent: done ones, and one with an unknown outcome. */
function partsSent(row: LedgerRow, ledger: Ledger) {
  const isOpen = row.state === 'sent' || row.state === 'unknown';
  const count = Math.min(row.steps.length, row.step + (isOpen ? 1 : 0));
  return Array.from({ length: count }, (_, step) => ({
    name: runPartOf({ ...row, step }, ledger)?.name ?? '',
    isDone: step < row.step,
    step,
  }));
}

async function writeOf(
  row: LedgerRow,
  { ledger, session, others }: Pick<Completing, 'ledger' | 'session'> & { others: OtherRows },
): Promise<OutgoingWrite> {
  // Neither ledgers nor journals contain secrets.
  const call = await callOf(row, { session, others, secretsOf: async () => ({}) });
  const { method, target, body } = await session.plan(call);
  const facts = { known: row.steps[row.step]?.known, part: runPartOf(row, ledger) };
  return { call, request: { method, target, body }, facts };
}

function add(missing: readonly Sent[], { journal, ledger, session, now }: Completing): void {
  if (journal.loss) noteLoss(journal, now);
  journal.write(() => {
    const command = commandOf(journal, ledger, now);
    for (const { row, isDone, number: known, write } of missing) {
      const at = row.sentAt ?? now;
      const image = write && (knownImage(write, true) ?? unknownImage);
      const number =
        known ?? (write && image && journal.addEntry({ ...entryOf(write, image, session.api), at, command }));
      if (number !== undefined && isDone)
        journal.addOutcome(number, {
          at,
          outcome: 'done',
          after: null,
          ...(row.id !== null && { id: row.id }),
        });
    }
  });
}

const unknownImage = {
  before: null,
  missing: 'neither the history nor the ledger of its run contains it',
};

function commandOf(journal: Journal, ledger: Ledger, now: number): number {
  const run = ledger.id ?? '';
  const known = journal.database.get('SELECT max(id) AS id FROM commands WHERE run = ?', run)?.id;
  if (known != null) return Number(known);
  const text = (name: string) => {
    const value = ledger.fact(name);
    return typeof value === 'string' ? value : undefined;
  };
  return journal.addCommand(now, {
    run,
    line: `boh ${text('command') ?? ''}`.trim(),
    profile: text('profile') ?? null,
    ...undoingOf(ledger),
    account: { key: text('account_key') ?? '', business: text('business') },
  });
}
