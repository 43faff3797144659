/** Leaves Ctrl-C to another program, such as an editor or a pager, while it has the terminal. */

/** Keeps Ctrl-C from ending boh. Returns a function that undoes this. */
export function ignoreInterrupts(): () => void {
  const listeners = process.listeners('SIGINT');
  const ignore = () => {};
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  return () => {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  };
}
