/** A record as a session gives and takes it, for those who stand on sessions alone. */

/** Text of the service’s own, read as the client reads its answers: numbers stay as they were written. */
export { parseJson } from '../client/json-text.ts';
export { isRow, isTexts, type Row } from '../client/shape.ts';
