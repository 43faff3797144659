/** Exports types of calls, responses and records for layers that don't import the client. */

export type { RecordResponse } from '../client/client.ts';
export type { Call } from '../client/request.ts';
/** `parseJson` parses JSON like the client parses responses: numbers keep all their digits. */
export { isRow, isStringArray, parseJson, type Row } from '../client/shape.ts';
