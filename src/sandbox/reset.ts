/** Resets the sandbox of a file, also of a file that can't be used. */
import { moveAside } from '../storage/create.ts';
import { StorageFailure } from '../storage/failures.ts';
import { openSandbox, type SandboxOptions } from './service.ts';

/** Resets the sandbox of a file. A file that can't be used is renamed first; in that case, returns its new path. */
export async function resetSandbox(options: SandboxOptions): Promise<string | undefined> {
  try {
    const sandbox = await openSandbox(options);
    try {
      await sandbox.reset(options);
    } finally {
      sandbox.close();
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof StorageFailure && error.isUnusableFile)) throw error;
    const renamedFile = moveAside(options.file);
    (await openSandbox(options)).close();
    return renamedFile;
  }
}
