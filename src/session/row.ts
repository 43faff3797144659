/** A record as a session gives and takes it, for those who stand on sessions alone. */
export { isRow, type Row } from '../client/shape.ts';
