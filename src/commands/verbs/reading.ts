/** The verbs that read: one chunk. */
export { configureGet } from './get.ts';
export { configureList } from './list.ts';
