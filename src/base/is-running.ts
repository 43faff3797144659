/** Checks whether a process is running, so that the files of a killed process can be deleted. */

/** Returns whether a process with this ID runs. Also true if another process, of any user, has reused the ID. */
export function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
