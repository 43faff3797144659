/** Restores the files of an earlier build in a new folder, with the file identities that boh expects. */
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { home } from './home-folder.ts';

const fixtures = fileURLToPath(new URL('../fixtures', import.meta.url));

/** The versions that have fixtures. */
export const earlierVersions = readdirSync(fixtures, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Returns the folder in which a version was run. Its `home` is for `BOH_CONFIG_DIR`. */
export function earlierHome(version: string): string {
  const folder = mkdtempSync(join(home, `${version}-`));
  cpSync(join(fixtures, version), folder, { recursive: true });
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }));
  for (const { entry, path } of paths) {
    // Git does not store these permissions, and boh warns about files that others can read.
    chmodSync(path, entry.isDirectory() ? 0o700 : 0o600);
    if (!path.endsWith('.gz')) continue;
    writeFileSync(path.slice(0, -'.gz'.length), gunzipSync(readFileSync(path)), { mode: 0o600 });
    rmSync(path);
  }
  for (const { path } of paths) if (dirname(path).endsWith('-heads')) updateIdentities(path);
  return folder;
}

/** Updates a head file. Its lines end with the inode and the creation time of the database and of the head file. */
function updateIdentities(head: string): void {
  const folder = dirname(head).replace(/-heads$/, '');
  const headIdentity = identityOf(head);
  const identities = [
    ...identityOf(join(folder, `${head.slice(dirname(head).length + 1)}.sqlite`)),
    ...headIdentity,
  ];
  const end = `${identities.map((text) => JSON.stringify(text)).join(',')}]`;
  writeFileSync(head, readFileSync(head, 'utf8').replaceAll('"0","0","0","0"]', end));
}

function identityOf(path: string): [inode: string, born: string] {
  const { ino, birthtimeNs } = statSync(path, { bigint: true });
  return [String(ino), String(birthtimeNs)];
}
