/** Where journals are: one file for each service or sandbox, beside the ledgers of runs. */
import { join, resolve } from 'node:path';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import envPaths from 'env-paths';
import type { Environment } from '../../environment.ts';

/** `BOH_CONFIG_DIR/history`, else the platform's place for a user's data (`~/.local/share/boh/history` on Linux). */
export function historyFolder(environment: Environment): string {
  const chosen = environment.BOH_CONFIG_DIR;
  return join(chosen ? resolve(chosen) : envPaths('boh', { suffix: '' }).data, 'history');
}

/** `place` is the address with its prefix, or the sandbox in words. */
export function journalFile(environment: Environment, place: string): string {
  // Node’s own module of hashes takes longer to load than all that a single write needs the history for.
  const name = bytesToHex(sha256(utf8ToBytes(place))).slice(0, 24);
  return join(historyFolder(environment), `${name}.sqlite`);
}
