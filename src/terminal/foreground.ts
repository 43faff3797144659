/** While another program, such as an editor or a pager, has the terminal, Ctrl-C is that program’s. */

/** Keeps Ctrl-C from ending boh; answers what undoes that. */
export function holdInterrupts(): () => void {
  const listeners = process.listeners('SIGINT');
  const ignore = () => {};
  process.removeAllListeners('SIGINT').on('SIGINT', ignore);
  return () => {
    process.off('SIGINT', ignore);
    for (const listener of listeners) process.on('SIGINT', listener);
  };
}
