/** Reads and records the account that a run writes to, in the properties of its ledger. */
import {
  type AccountInUse,
  type FileOwner,
  matchOwner,
  ownerFieldNames,
  ownerFields,
  ownerFrom,
} from '../../session/file-owner.ts';
import type { Ledger } from './ledger.ts';

/** Returns the account of a run; undefined if nothing was sent. */
export function ownerOfRun(ledger: Pick<Ledger, 'property'>): FileOwner | undefined {
  return ownerFrom(Object.fromEntries(ownerFieldNames.map((name) => [name, ledger.property(name)])));
}

/** Records the account that a run is sent to. */
export function recordOwner(ledger: Ledger, account: AccountInUse): void {
  for (const [name, value] of Object.entries(ownerFields(account))) ledger.setProperty(name, value);
}

/** Records that a run is being sent, with its account and profile. */
export function recordSending(ledger: Ledger, account: AccountInUse, profile: string | undefined): void {
  ledger.write(() => {
    ledger.setProperty('state', 'unfinished');
    ledger.setProperty('profile', profile ?? null);
    recordOwner(ledger, account);
  });
}

/** Returns whether a run is known to belong to the account in use. Runs of other accounts are ignored. */
export function isRunOfAccount(ledger: Ledger, inUse: AccountInUse): boolean {
  const owner = ownerOfRun(ledger);
  return owner !== undefined && matchOwner(owner, inUse) === 'own';
}

/** Returns the name of a run in messages about another account's files. */
export function runLabel(ledger: Ledger): { label: string; kind: string } {
  return { label: `Run ${ledger.id ?? ledger.file}`, kind: 'run' };
}
