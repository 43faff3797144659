/** Said at the end of a run that took its time: which of the records that it has added somebody else has added as well. */
import type { Ledger } from '../../bulk/ledger/ledger.ts';
import { Failure } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import type { Session } from '../../session/session.ts';

/** As many are named. */
const mostNamed = 10;

/** In sentences; the run is over, whatever comes of the look. */
export async function doubled(ledger: Ledger, session: Session, context: Context): Promise<string[]> {
  if ((ledger.counts()['create done'] ?? 0) === 0) return [];
  const { doublesOf } = await import('../../bulk/run/doubles.ts');
  try {
    const found = await doublesOf(ledger, session, context.now().getTime());
    if (found.length === 0) return [];
    const named = found
      .slice(0, mostNamed)
      .map(({ key, id, other }) => `  ${key}: ${id} of this run, and ${other}`);
    const rest = found.length > mostNamed ? [`  and ${found.length - mostNamed} more`] : [];
    const [records, are] = found.length === 1 ? ['A record', 'is'] : [`${found.length} records`, 'are'];
    return [
      `${records} that this run has added ${are} there twice: somebody else has added the same meanwhile, as where one file is imported from two machines at once.`,
      ...named,
      ...rest,
      'Before anything is deleted, look which of the two is in use; an undo takes back all that this run has added.',
    ];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [];
  }
}
