/** Locates journals: one file per service or sandbox, next to the ledgers of runs. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { appFolder } from '../../base/app-folders.ts';
import type { Environment } from '../../base/environment.ts';

/** Returns `BOH_CONFIG_DIR/history`, or the platform's data folder (`~/.local/share/boh/history` on Linux). */
function historyFolder(environment: Environment): string {
  return join(appFolder(environment, 'data'), 'history');
}

/** Returns a journal's file; `location` is the base URL with its prefix, or the name of the sandbox. */
export function journalFile(environment: Environment, location: string): string {
  return join(historyFolder(environment), `${hash('sha256', location, 'hex').slice(0, 24)}.sqlite`);
}
