/** Exports the commands that read and change the configuration file as one bundle chunk. */
export { configCommand } from './config/index.ts';
export { profilesCommand } from './profiles.ts';
export { viewsCommand } from './views/index.ts';
