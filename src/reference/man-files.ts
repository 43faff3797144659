/** Reads the man pages that ship with boh: files beside the program, or assets of a single executable. */
import { readdirSync, readFileSync } from 'node:fs';
import { getAsset, getAssetKeys, isSea } from 'node:sea';

/** Where the pages are, as seen from this file and from a chunk of the build. */
const folder = new URL('../../man/', import.meta.url);

/** The prefix of their names among the assets of a single executable (scripts/release/artifacts/executable.ts). */
const assetPrefix = 'man/';

/** Returns the file names of all pages, such as `boh-suppliers.1`. */
export function manFileNames(): string[] {
  if (!isSea()) return readdirSync(folder).sort();
  return getAssetKeys()
    .filter((key) => key.startsWith(assetPrefix))
    .map((key) => key.slice(assetPrefix.length))
    .sort();
}

/** Returns the text of a page, for `man`. */
export function manFile(name: string): string {
  return isSea() ? getAsset(`${assetPrefix}${name}`, 'utf8') : readFileSync(new URL(name, folder), 'utf8');
}
