/** Exports the verbs that read as one bundle chunk. */
export { configureGet } from './get.ts';
export { configureList } from './list.ts';
