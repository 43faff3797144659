/** Exports types of calls, answers and records for layers that don't import the client. */

export type { Answered } from '../client/client.ts';
export type { Call } from '../client/request.ts';
/** `parseJson` reads JSON as the client reads answers: numbers stay as they were written. */
export { isRow, isStringArray, parseJson, type Row } from '../client/shape.ts';
