/** Reads and records the account that a run writes to, in the properties of its ledger. */
import type { AccountIdentity } from '../../../account/session/account.ts';
import { ownerFieldNames, ownerFields, ownerFrom } from '../../../account/session/file-owner.ts';
import type { Ledger } from './ledger.ts';

/** Returns the account of a run; undefined if nothing was sent. */
export function ownerOfRun(ledger: Pick<Ledger, 'property'>): AccountIdentity | undefined {
  return ownerFrom(Object.fromEntries(ownerFieldNames.map((name) => [name, ledger.property(name)])));
}

/** Records the account that a run is sent to. */
export function recordOwner(ledger: Ledger, account: AccountIdentity): void {
  for (const [name, value] of Object.entries(ownerFields(account))) ledger.setProperty(name, value);
}

/** Records that a run is being sent, with its account and profile. */
export function recordSending(ledger: Ledger, account: AccountIdentity, profile: string | undefined): void {
  ledger.write(() => {
    ledger.setProperty('state', 'unfinished');
    ledger.setProperty('profile', profile ?? null);
    recordOwner(ledger, account);
  });
}

/** Returns the name of a run in messages about another account's files. */
export function runLabel(ledger: Ledger): { label: string; kind: string } {
  return { label: `Run ${ledger.id ?? ledger.file}`, kind: 'run' };
}
