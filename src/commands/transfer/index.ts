/** Exports the commands that move data between accounts and files as one bundle chunk, because they share the transfer engine. */
export { backupCommand } from '../backup.ts';
export { copyCommand } from './copy.ts';
export { importAllCommand } from './import-all.ts';
