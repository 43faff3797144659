/** Where journals are: one file for each service or sandbox, beside the ledgers of runs. */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { ownFolder } from '../../base/own-folders.ts';

/** `BOH_CONFIG_DIR/history`, else the platform's place for a user's data (`~/.local/share/boh/history` on Linux). */
function historyFolder(environment: Environment): string {
  return join(ownFolder(environment, 'data'), 'history');
}

/**
 * The head file of a journal, in the folder of the configuration: a copy of the folder of data that is restored leaves
 * it as it is.
 */
export function headFileOf(environment: Environment, place: string): string {
  return join(ownFolder(environment, 'config'), 'history-heads', nameOf(place));
}

/** `place` is the address with its prefix, or the sandbox in words. */
export function journalFile(environment: Environment, place: string): string {
  return join(historyFolder(environment), `${nameOf(place)}.sqlite`);
}

function nameOf(place: string): string {
  return hash('sha256', place, 'hex').slice(0, 24);
}
