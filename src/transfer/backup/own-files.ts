/** The files that a backup’s folder may hold, by their names: those of the backup, and what one that was killed leaves. */
import { holdSuffix } from '../../storage/hold.ts';
import { isRecordsFile, manifestName } from './manifest.ts';
import { partEnding } from './write-lines.ts';

/** By which the folder is kept to one process. */
export const holdName = manifestName + holdSuffix;

export function isOfBackup(name: string): boolean {
  const isPart = name.startsWith('.') && name.endsWith(partEnding);
  return name === manifestName || name.startsWith(holdName) || isPart || isRecordsFile(name);
}
