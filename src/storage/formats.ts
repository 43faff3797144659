/** The registry of file formats: each kind of SQLite file that boh keeps, and how its header is checked. */
import type { StorageProblem } from './failures.ts';

/** What tells the files of one kind from all others. */
export interface FileFormat {
  /** The kind in words. Begins sentences: the file's path follows it. */
  called: string;
  /** The four bytes in the header that name the kind. */
  applicationId: number;
  /** Ids that files of earlier versions have. They are read, and get the present id when they are upgraded. */
  formerIds?: readonly number[];
  /** The latest version: the number of steps that make the content. Newer files are refused. */
  version: number;
}

/** An id is "boh" and a number. A number that files have had is never used for another kind. */
export const fileFormats = {
  sandbox: { called: 'The sandbox', applicationId: 0x626f6801, version: 5 },
  ledger: { called: 'The ledger', applicationId: 0x626f6802, version: 3 },
  history: { called: 'The history', applicationId: 0x626f6803, version: 5 },
  /** The version follows from the columns of the contract: `schemaVersion` in src/mirror/schema/state.ts. */
  mirror: { called: 'The mirror', applicationId: 0x626f6804 },
  requestCount: {
    called: 'The count of requests',
    applicationId: 0x626f6805,
    // Shared with the history until 0.1.0.
    formerIds: [0x626f6803],
    version: 2,
  },
} satisfies Record<string, Omit<FileFormat, 'version'> & { version?: number }>;

/**
 * Returns why a file with this header can't be used; undefined where it can. `pragma` reads one value: kind and version
 * are found out even where SQLite can't make sense of the tables.
 */
export function headerProblem(
  { applicationId, formerIds = [], version }: FileFormat,
  pragma: (name: string) => unknown,
): StorageProblem | undefined {
  if (![applicationId, ...formerIds].includes(Number(pragma('application_id')))) return 'foreign';
  if (Number(pragma('user_version')) > version) return 'newer';
  // All of ours are made in UTF-8: another encoding in the header would make other texts of theirs.
  return pragma('encoding') === 'UTF-8' ? undefined : 'damaged';
}
