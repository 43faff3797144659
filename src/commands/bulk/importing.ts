/** The verbs that import records and links: one chunk, as they share the engine of runs. */
export { configureImport } from './import.ts';
export { configureImportLinks } from './import-links.ts';
