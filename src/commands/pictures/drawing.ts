/** Exports the verbs that draw pictures as one bundle chunk, because they share pages, axes and terminal drawings. */
export { configureCosts } from './costs.ts';
export { configureLevels } from './levels.ts';
export { configureMap } from './map.ts';
export { configureWeek } from './week.ts';
