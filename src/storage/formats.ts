/** The registry of file formats: each kind of SQLite file that boh keeps, and how its header is checked. */
import type { StorageProblem } from './failures.ts';

/** The identity of a kind of file. */
export interface FileFormat {
  /** The name of the kind in messages, such as "The sandbox"; the path follows it. */
  label: string;
  /** The four bytes in the header that name the kind. */
  applicationId: number;
  /** The latest version. Newer files are refused. */
  version: number;
}

/** The formats by name. An application ID is "boh" and a number, which is never reused for another kind. */
export const fileFormats = {
  sandbox: { label: 'The sandbox', applicationId: 0x626f6801, version: 1 },
  ledger: { label: 'The ledger', applicationId: 0x626f6802, version: 1 },
  history: { label: 'The history', applicationId: 0x626f6803, version: 1 },
  /** The version follows from the columns of the contract: `schemaVersion` in src/mirror/schema/state.ts. */
  mirror: { label: 'The mirror', applicationId: 0x626f6804 },
  requestCount: { label: 'The request count', applicationId: 0x626f6805, version: 1 },
  changeSets: { label: 'The file of change sets', applicationId: 0x626f6806, version: 1 },
} satisfies Record<string, Omit<FileFormat, 'version'> & { version?: number }>;

/**
 * Returns why a file with this header can't be used; undefined if it can. `pragma` reads one value of the header, which
 * works even if SQLite can't read the tables.
 */
export function headerProblem(
  { applicationId, version }: FileFormat,
  pragma: (name: string) => unknown,
): StorageProblem | undefined {
  if (pragma('application_id') !== applicationId) return 'foreign';
  const fileVersion = Number(pragma('user_version'));
  if (fileVersion > version) return 'newer';
  // Our files are in UTF-8; with another encoding in the header, SQLite would decode the text differently.
  return fileVersion >= 1 && pragma('encoding') === 'UTF-8' ? undefined : 'damaged';
}
