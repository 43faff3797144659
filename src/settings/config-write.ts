/** Changes the configuration file, one process at a time. */
import { Failure } from '../base/errors.ts';
import { replaceFile } from '../base/replace-file.ts';
import { isBusy } from '../storage/failures.ts';
import { lockFile } from '../storage/file-lock.ts';
import { retryWhileBusy } from '../storage/retry-while-busy.ts';
import { checkConfig } from './config-json.ts';

/**
 * Replaces the text of the file. Throws a usage failure if the text isn't a valid configuration, and `unavailable` if the
 * file can't be written; the old file is then unchanged.
 */
export async function writeConfigFile(path: string, text: string): Promise<void> {
  checkConfig(JSON.parse(text), path);
  await replaceFile(path, text, { newFileMode: 0o600 });
}

/** How long to wait for other processes, in milliseconds: enough for a queue of many. */
const lockTimeoutMs = 20_000;

/** Runs the task while no other process changes the file. */
export async function withLock<Result>(path: string, task: () => Promise<Result>): Promise<Result> {
  const file = { file: path, label: 'The lock of the settings', remedy: '' };
  const lock = await retryWhileBusy(() => lockFile(file), { timeoutMs: lockTimeoutMs }).catch((error) => {
    if (!isBusy(error)) throw error;
    const message = 'Another boh process is changing the settings. Nothing was changed.';
    throw new Failure('unavailable', message, { hint: 'Try again.', cause: error });
  });
  try {
    return await task();
  } finally {
    lock.release();
  }
}
