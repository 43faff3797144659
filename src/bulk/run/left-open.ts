/** What a killed process wrote down of its rows and never heard of: the ledger knows what became of it, or has just found out. */
import { stepNamed } from './send-row.ts';
import type { Settling } from './settle.ts';

/** To be told when the rows that were sent have been looked up, before any is sent again. */
export async function settleLeftOpen({
  ledger,
  session,
}: Pick<Settling, 'ledger' | 'session'>): Promise<void> {
  const run = ledger.id;
  if (run === undefined) return;
  for (const name of await session.runs.leftOpen(run)) {
    const { seq, step } = stepNamed(name);
    const row = ledger.row(seq);
    if (!row) continue;
    if (row.step > step) await session.runs.settled({ run, name }, { to: 'done', id: row.id ?? undefined });
    else if (row.state !== 'sent' && row.state !== 'unknown')
      await session.runs.settled({ run, name }, { to: 'nothing' });
  }
}
