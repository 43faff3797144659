/** The registry of file formats: each kind of SQLite file that boh keeps, and how its header is checked. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { StorageProblem } from './failures.ts';

/** The identity of a kind of file. */
export interface FileFormat {
  /** The name of the kind in messages, such as "The sandbox"; the path follows it. */
  label: string;
  /** The four bytes in the header that name the kind. */
  applicationId: number;
  /** The version. Files of other versions are refused. */
  version: number;
}

/** The formats by name. An application ID is "boh" and a number, which is never reused for another kind. */
export const fileFormats = {
  sandbox: { label: 'The sandbox', applicationId: 0x626f6801, version: 1 },
  ledger: { label: 'The ledger', applicationId: 0x626f6802, version: 1 },
  history: { label: 'The history', applicationId: 0x626f6803, version: 1 },
  mirror: { label: 'The mirror', applicationId: 0x626f6804, version: 1 },
  requestCount: { label: 'The request count', applicationId: 0x626f6805, version: 1 },
} satisfies Record<string, FileFormat>;

/**
 * Returns why a file with this header can't be used; undefined if it can. If the version is undefined, any version can be
 * used. `pragma` reads one value of the header, which works even if SQLite can't read the tables.
 */
export function headerProblem(
  { applicationId, version }: { applicationId: number; version: number | undefined },
  pragma: (name: string) => unknown,
): StorageProblem | undefined {
  if (pragma('application_id') !== applicationId) return 'foreign';
  if (version !== undefined && pragma('user_version') !== version) return 'version';
  // Our files are in UTF-8; with another encoding in the header, SQLite would decode the text differently.
  return pragma('encoding') === 'UTF-8' ? undefined : 'damaged';
}

const header = 'SQLite format 3\0';

/** Returns whether a file has the header of SQLite. Doesn't change the file. Throws a system error if it can't be read. */
export function isSqliteFile(file: string): boolean {
  if (!statSync(file).isFile()) return false;
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(header.length);
    readSync(descriptor, bytes);
    return bytes.toString('latin1') === header;
  } finally {
    closeSync(descriptor);
  }
}
