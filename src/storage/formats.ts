/** The registry of file formats: each kind of SQLite file that boh keeps, and how its header is checked. */
import type { StorageProblem } from './failures.ts';

/** The identity of a kind of file. */
export interface FileFormat {
  /** The name of the kind in messages, such as "The sandbox"; the path follows it. */
  label: string;
  /** The four bytes in the header that name the kind. */
  applicationId: number;
  /** IDs of earlier versions. These files can be read, and get the current ID when they are upgraded. */
  formerIds?: readonly number[];
  /** The latest version: the number of upgrade steps. Newer files are refused. */
  version: number;
}

/** The formats by name. An application ID is "boh" and a number, which is never reused for another kind. */
export const fileFormats = {
  sandbox: { label: 'The sandbox', applicationId: 0x626f6801, version: 6 },
  ledger: { label: 'The ledger', applicationId: 0x626f6802, version: 3 },
  history: { label: 'The history', applicationId: 0x626f6803, version: 6 },
  /** The version follows from the columns of the contract: `schemaVersion` in src/mirror/schema/state.ts. */
  mirror: { label: 'The mirror', applicationId: 0x626f6804 },
  requestCount: {
    label: 'The request count',
    applicationId: 0x626f6805,
    // Shared with the history until 0.1.0.
    formerIds: [0x626f6803],
    version: 2,
  },
  changeSets: { label: 'The file of change sets', applicationId: 0x626f6806, version: 1 },
} satisfies Record<string, Omit<FileFormat, 'version'> & { version?: number }>;

/**
 * Returns why a file with this header can't be used; undefined if it can. `pragma` reads one value of the header, which
 * works even if SQLite can't read the tables.
 */
export function headerProblem(
  { applicationId, formerIds = [], version }: FileFormat,
  pragma: (name: string) => unknown,
): StorageProblem | undefined {
  if (![applicationId, ...formerIds].includes(Number(pragma('application_id')))) return 'foreign';
  if (Number(pragma('user_version')) > version) return 'newer';
  // Our files are in UTF-8; with another encoding in the header, SQLite would decode the text differently.
  return pragma('encoding') === 'UTF-8' ? undefined : 'damaged';
}
