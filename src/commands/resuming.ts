/** The commands that continue or undo runs: one chunk, because they share the run engine. */
export { redoCommand, undoCommand } from './history/undo.ts';
export { runsCommand } from './runs/index.ts';
