/** Exports the commands that describe boh and the API as one bundle chunk, because they share the code that describes the contract. */
export { explainCommand } from './explain.ts';
export { manCommand } from './man.ts';
export { resourcesCommand } from './resources.ts';
export { versionCommand } from './version.ts';
