/** What rows have to say where the service replaces records: secrets that it never shows, and that would be emptied. */
import { usage } from '../../errors.ts';
import type { Session } from '../../session/session.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { operationOf } from './send-row.ts';

/** Throws `usage` for all of them at once, before anything is sent. */
export async function refuseHidden(ledger: Ledger, session: Session): Promise<void> {
  const lacking: string[] = [];
  for (const step of ledger.stepsToCome()) {
    const operation = operationOf(step, session);
    if (operation.effect !== 'update') continue;
    for (const name of await session.toBeGiven(operation)) {
      const count = ledger.countLacking(step, name);
      const { noun, nouns } = operation.resource;
      if (count > 0) lacking.push(`${count} ${count === 1 ? noun : nouns} without ${name}`);
    }
  }
  if (lacking.length === 0) return;
  throw usage(
    `Nothing was sent: wire.put is replace, and updates would empty what the service never shows: ${lacking.join(', ')}.`,
    { hint: 'Give it with each of them, or send the rest without it: --unchecked' },
  );
}

/** How many requests the rows still take: where records are sent whole, each is read right before. */
export function requestsToGo(ledger: Ledger, session: Session | undefined): number {
  const reads = session?.settings.wire.put === 'replace' ? ledger.stepsToGo('update') : 0;
  return ledger.stepsToGo() + reads;
}
