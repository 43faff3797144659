/** Said at the end of what adds records: which of them somebody else has added as well, whom no lock of this machine keeps away. */
import { Failure } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { Session } from '../../session/session.ts';
import { tell, warn } from '../../terminal/messages.ts';

/** As many are named. */
const mostNamed = 10;

/** The run is over, whatever comes of the look. */
export async function tellDoubled(ledger: Ledger, session: Session, context: Context): Promise<void> {
  if ((ledger.counts()['create done'] ?? 0) === 0) return;
  const { streams } = context;
  const { doublesOf } = await import('../../runs/added-elsewhere.ts');
  try {
    const found = await doublesOf(ledger, session, context.now().getTime());
    if (found.length === 0) return;
    const [records, are] = found.length === 1 ? ['A record', 'is'] : [`${found.length} records`, 'are'];
    warn(
      streams,
      `${records} that this run has added ${are} there twice: somebody else has added the same meanwhile, as where one file is imported from two machines at once.`,
    );
    for (const { key, id, other } of found.slice(0, mostNamed))
      tell(streams, `  ${key}: ${id} of this run, and ${other}`);
    if (found.length > mostNamed) tell(streams, `  and ${found.length - mostNamed} more`);
    tell(
      streams,
      'Before anything is deleted, look which of the two is in use; an undo takes back all that this run has added.',
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    warn(
      streams,
      `Whether somebody else has added the same records meanwhile is not known: ${error.message}`,
    );
  }
}
