/** Finds and opens the files of change sets: those of the account in use, or all on this machine. */
import { hash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { appFolder } from '../base/app-folders.ts';
import type { Environment } from '../base/environment.ts';
import type { Failure } from '../base/errors.ts';
import { type AccountInUse, matchOwner, ownerFailure } from '../session/file-owner.ts';
import { isInProgress } from './change-set.ts';
import { ChangeSets } from './change-sets.ts';

/** Returns the folder of the files: `BOH_CONFIG_DIR/changes`, or the platform's data folder. */
function changesFolder(env: Environment): string {
  return join(appFolder(env, 'data'), 'changes');
}

/** Opens each file of change sets on this machine; the caller closes it. */
export function* openAllChangeSets(env: Environment): Generator<ChangeSets> {
  const folder = changesFolder(env);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    if (/^[0-9a-f]{24}\.sqlite$/.test(name)) yield new ChangeSets(join(folder, name));
}

/** Returns the runs of all sets in progress on this machine: without them and their history, no set could be ended. */
export function runsInProgress(env: Environment): string[] {
  return [...openAllChangeSets(env)].flatMap((sets) => {
    const runs = sets
      .all()
      .filter(isInProgress)
      .flatMap(({ run, returnRun }) => [run, returnRun ?? []].flat());
    sets.close();
    return runs;
  });
}

/**
 * Opens the change sets of the account in use. Returns undefined if it has none, unless `createsIfMissing`. Throws `usage`
 * if a file may belong to this account and that is uncertain, unless `allowsAnyAccount`.
 */
export function openChangeSets(
  env: Environment,
  account: AccountInUse,
  { createsIfMissing = false, allowsAnyAccount = false } = {},
): ChangeSets | undefined {
  let ownerError: Failure | undefined;
  for (const sets of openAllChangeSets(env)) {
    const owner = sets.owner;
    const match = owner ? matchOwner(owner, account) : 'other';
    if (match === 'own' || (allowsAnyAccount && match !== 'other')) return sets;
    sets.close();
    if (owner && match !== 'other')
      ownerError ??= ownerFailure(match, owner, account, { label: 'A file of change sets', kind: 'file' });
  }
  if (ownerError) throw ownerError;
  if (!createsIfMissing) return undefined;
  const { service, business, key } = account;
  const fileName = hash('sha256', JSON.stringify([service, business?.id ?? key ?? null]), 'hex').slice(0, 24);
  const sets = new ChangeSets(join(changesFolder(env), `${fileName}.sqlite`));
  sets.storeOwner(account);
  return sets;
}
