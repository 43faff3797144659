/** Finds the files that boh stores about an account. */
import { join } from 'node:path';
import { accountFolders } from '../../src/account/session/account.ts';

/** Returns the folder of the only account in a configuration folder. */
export function accountFolderIn(config: string): string {
  const [folder, ...others] = accountFolders({ BOH_CONFIG_DIR: config });
  if (folder === undefined || others.length > 0)
    throw new Error(`${config} has the accounts: ${[folder, ...others].join(', ')}`);
  return folder;
}

/** Returns a file of the only account in a configuration folder: `history.sqlite`. */
export function accountFile(config: string, ...names: string[]): string {
  return join(accountFolderIn(config), ...names);
}
