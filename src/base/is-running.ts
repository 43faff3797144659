/** Finds out whether a process still runs: the files of a killed process can be deleted. */

/** Returns whether a process with this id runs. A process of another user that reuses the id counts. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
