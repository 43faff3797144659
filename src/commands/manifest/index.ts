/** The commands of declared data: one chunk, as they share the readers of files and the plan. */
export { applyCommand } from './apply.ts';
export { diffCommand } from './diff.ts';
export { planCommand } from './plan.ts';
export { pullCommand } from './pull.ts';
export { rehearseCommand } from './rehearse.ts';
export { seedCommand } from './seed.ts';
