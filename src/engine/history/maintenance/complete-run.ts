/**
 * Adds writes to the journal that a run has sent according to its ledger. They may be missing because the disk was full
 * or the journal was deleted.
 */

import type { OutgoingWrite, WriteDetails } from '../../../account/session/observed-writes.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { ownerOfRun } from '../../runs/ledger/owner.ts';
import type { LedgerRow } from '../../runs/ledger/row.ts';
import { undoingOf } from '../../runs/ledger/runs.ts';
import { ReferenceResolver } from '../../runs/reference-resolver.ts';
import { buildCall, runPartOf } from '../../runs/send-row.ts';
import type { Journal } from '../journal/journal.ts';
import { partsOf } from '../journal/run-parts.ts';
import { type BeforeImage, knownImage } from '../recording/before-image.ts';
import { entryOf } from '../recording/contents.ts';

/** The input for completing a run in the journal. */
export interface CompletionInput {
  journal: Journal;
  ledger: Ledger;
  session: Session;
  /** Milliseconds since 1970. */
  now: number;
}

/** A part of the run that was sent. */
interface SentPart {
  row: LedgerRow;
  name: string;
  isDone: boolean;
  /** The number of its entry if it is in the journal; otherwise `write` is set. */
  number: number | undefined;
  write: OutgoingWrite | undefined;
}

/** Adds missing entries and outcomes. Returns how many writes were added or completed. */
export async function completeRun({ journal, ledger, session, now }: CompletionInput): Promise<number> {
  const run = ledger.id;
  if (run === undefined) return 0;
  const recordedParts = partsOf(journal, run);
  const references = new ReferenceResolver(ledger);
  let count = 0;
  for (const rows of ledger.batches('planned', 'sent', 'done', 'failed', 'unknown')) {
    const missingParts: SentPart[] = [];
    for (const row of rows) {
      for (const { name, isDone, step } of partsSent(row, ledger)) {
        const recordedPart = recordedParts.get(name);
        if (recordedPart && (recordedPart.isEnded || !isDone)) continue;
        const write = recordedPart
          ? undefined
          : await writeOf({ ...row, step }, { ledger, session, resolver: references });
        missingParts.push({ row, name, isDone, number: recordedPart?.number, write });
      }
    }
    if (missingParts.length > 0) addMissing(missingParts, { journal, ledger, session, now });
    count += missingParts.length;
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
  {
    ledger,
    session,
    resolver,
  }: Pick<CompletionInput, 'ledger' | 'session'> & { resolver: ReferenceResolver },
): Promise<OutgoingWrite> {
  // Neither ledgers nor journals contain secrets.
  const call = await buildCall(row, { session, resolver, secretsOf: async () => ({}) });
  const { method, target, body } = await session.plan(call);
  const details: WriteDetails = { recordBefore: row.steps[row.step]?.known, part: runPartOf(row, ledger) };
  return { call, request: { method, target, body }, details };
}

function addMissing(
  missingParts: readonly SentPart[],
  { journal, ledger, session, now }: CompletionInput,
): void {
  journal.write(() => {
    const command = commandOf(journal, ledger, now);
    for (const { row, isDone, number: knownNumber, write } of missingParts) {
      const at = row.sentAt ?? now;
      const image = write && (knownImage(write, true) ?? unknownImage);
      const number =
        knownNumber ??
        (write && image && journal.addEntry({ ...entryOf(write, image, session.api), at, command }));
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

const unknownImage: BeforeImage = {
  before: null,
  missing: 'neither the history nor the ledger of its run contains it',
};

function commandOf(journal: Journal, ledger: Ledger, now: number): number {
  const run = ledger.id ?? '';
  const existingId = journal.database.get('SELECT max(id) AS id FROM commands WHERE run = ?', run)?.id;
  if (existingId != null) return Number(existingId);
  const textProperty = (name: string) => {
    const value = ledger.property(name);
    return typeof value === 'string' ? value : undefined;
  };
  return journal.addCommand(now, {
    run,
    line: `boh ${textProperty('command') ?? ''}`.trim(),
    profile: textProperty('profile') ?? null,
    ...undoingOf(ledger),
    business: ownerOfRun(ledger)?.business,
  });
}
