/** How a run would end, as far as its plan shows: a dry run ends with the same exit code. */
import type { Ledger } from '../../bulk/ledger/ledger.ts';
import { callsToCome } from '../../bulk/run/send-row.ts';
import { refuseHidden } from '../../bulk/run/to-be-given.ts';
import { Failure } from '../../errors.ts';
import type { Session } from '../../session/session.ts';

/**
 * The failure of the run, in the order in which it would meet them; undefined where none can be foreseen. Nothing is
 * sent for it. `session` is undefined offline, where nothing is known of the account.
 */
export async function foreseenFailure(
  ledger: Ledger,
  session: Session | undefined,
): Promise<Failure | undefined> {
  return (session && (await refusalOf(() => refuseUnsendable(ledger, session)))) ?? leftOut(ledger);
}

/** The failure that a check before the first request throws, which a plan is shown in spite of. */
export async function refusalOf(check: () => Promise<void>): Promise<Failure | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Throws where the planned rows can't be sent: a secret that has to be given is missing, or the token lacks a scope. */
async function refuseUnsendable(ledger: Ledger, session: Session): Promise<void> {
  await refuseHidden(ledger, session);
  for (const operation of callsToCome(ledger, session)) await session.permit({ operation });
}

/** Rows that are left out count as failed in the run. */
function leftOut(ledger: Ledger): Failure | undefined {
  const bad = ledger.count('bad');
  if (bad === 0) return undefined;
  const rows = `${bad} of ${ledger.count()} ${ledger.count() === 1 ? 'row' : 'rows'}`;
  return new Failure('partial', `${rows} would be left out; nothing was sent.`, {
    hint: 'The run ends with this exit code, too. Why each is left out is told above.',
  });
}
