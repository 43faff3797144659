/** Exports the commands that export records and links as one bundle chunk. */
export { configureExport, configureExportLinks } from './export.ts';
export { exportAllCommand } from './export-all.ts';
