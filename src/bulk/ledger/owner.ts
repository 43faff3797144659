/** The account that a run writes to, as its ledger keeps it. */
import type { FileOwner } from '../../session/file-owner.ts';
import type { Ledger } from './ledger.ts';

/** Undefined where nothing of the run was sent: it ended while it was planned. */
export function ownerOfRun(ledger: Ledger): FileOwner | undefined {
  const [place, business, key] = ['place', 'business', 'account_key'].map((name) => ledger.fact(name));
  if (typeof place !== 'string') return undefined;
  return {
    place,
    ...(typeof business === 'string' && { business: { id: business } }),
    ...(typeof key === 'string' && { key }),
  };
}
