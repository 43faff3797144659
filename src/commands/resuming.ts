/** Exports the commands that continue or undo runs as one bundle chunk, because they share the run engine. */
export { redoCommand, undoCommand } from './history/undo.ts';
export { runsCommand } from './runs/index.ts';
