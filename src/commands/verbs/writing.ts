/** The verbs that write to one record or a few: one chunk. */
export { configureRemove } from './remove.ts';
export { configureSave } from './save.ts';
export { configureUpsert } from './upsert.ts';
