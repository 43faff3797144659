/** Exports the verbs that write to one record or a few as one bundle chunk. */
export { configureRemove } from './remove.ts';
export { configureSave } from './save.ts';
export { configureUpsert } from './upsert.ts';
