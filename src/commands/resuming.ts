/** The commands that continue or undo runs: one chunk, as they share the engine of runs. */
export { redoCommand, undoCommand } from './history/undo.ts';
export { runsCommand } from './runs/index.ts';
