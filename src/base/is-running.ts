/** Whether a process is there still: what one leaves behind that was killed may go. */

/** A process of somebody else's that has the number by now counts as one. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
