/** The commands that move data between accounts and files: one chunk, as they share the engine of transfers. */
export { backupCommand } from '../backup.ts';
export { copyCommand } from './copy.ts';
export { importAllCommand } from './import-all.ts';
export { restoreCommand } from './restore-from.ts';
