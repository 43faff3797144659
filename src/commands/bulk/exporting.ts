/** The commands that export records and links: one chunk. */
export { configureExport } from './export.ts';
export { exportAllCommand } from './export-all.ts';
export { configureExportLinks } from './export-links.ts';
