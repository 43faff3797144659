/** Exports the commands for declared data as one bundle chunk, because they share the file readers and the plan. */
export { applyCommand } from './apply.ts';
export { diffCommand } from './diff.ts';
export { planCommand } from './plan.ts';
export { pullCommand } from './pull.ts';
export { rehearseCommand } from './rehearse.ts';
export { seedCommand } from './seed.ts';
