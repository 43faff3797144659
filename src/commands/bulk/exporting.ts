/** The commands that export records and links: one chunk. */
export { configureExport, configureExportLinks } from './export.ts';
export { exportAllCommand } from './export-all.ts';
