/** Exports the verbs that import records and links as one bundle chunk, because they share the run engine. */
export { configureImport } from './import.ts';
export { configureImportLinks } from './import-links.ts';
export { configurePrices } from './prices.ts';
