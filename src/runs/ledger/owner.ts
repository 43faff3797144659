/** The account that a run writes to, as its ledger stores it. */
import {
  type AccountInUse,
  type FileOwner,
  matchOwner,
  ownerFields,
  ownerFrom,
} from '../../session/file-owner.ts';
import type { Ledger } from './ledger.ts';

/** Returns the account of a run; undefined if nothing was sent. */
export function ownerOfRun(ledger: Pick<Ledger, 'fact'>): FileOwner | undefined {
  const [business, name, key] = ['business', 'business_name', 'account_key'].map((fact) => ledger.fact(fact));
  const place = ledger.fact('place');
  if (typeof place !== 'string') return undefined;
  return ownerFrom(place, { business, business_name: name, account_key: key });
}

/** Records the account that a run is sent to. */
export function noteOwner(ledger: Ledger, account: AccountInUse): void {
  ledger.setFact('place', account.service);
  for (const [name, value] of Object.entries(ownerFields(account))) ledger.setFact(name, value);
}

/** Records that a run is being sent, with its account and profile. */
export function noteSending(ledger: Ledger, account: AccountInUse, profile: string | undefined): void {
  ledger.write(() => {
    ledger.setFact('state', 'unfinished');
    ledger.setFact('profile', profile ?? null);
    noteOwner(ledger, account);
  });
}

/** Returns whether a run is known to belong to the account in use. Runs of other accounts are ignored. */
export function isOwnRun(ledger: Ledger, inUse: AccountInUse): boolean {
  const owner = ownerOfRun(ledger);
  return owner !== undefined && matchOwner(owner, inUse) === 'own';
}

/** Returns the name of a run in messages about another account's files. */
export function runLabel(ledger: Ledger): { label: string; kind: string } {
  return { label: `Run ${ledger.id ?? ledger.file}`, kind: 'run' };
}
