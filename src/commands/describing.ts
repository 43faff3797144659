/** The commands that describe boh and the API: one chunk, as they share what puts the contract into words. */
export { explainCommand } from './explain.ts';
export { manCommand } from './man.ts';
export { resourcesCommand } from './resources.ts';
export { versionCommand } from './version.ts';
