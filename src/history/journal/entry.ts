/** An entry of the journal: one write, with what was there before, what came of it, and who sent it. */
import type { Row } from '../../session/row.ts';

/** `unknown` is also what has no outcome yet: its process was killed, is still at it, or has announced it with its batch. */
export type EntryOutcome = 'done' | 'refused' | 'unknown';

/** Where several writes belong together: a command, or a run over many records. */
export interface CommandContent {
  /** The line as it was typed, secrets covered. */
  line: string;
  profile: string | null;
  /** Of an undo: what it takes back, a number or a run. */
  takesBack?: string | undefined;
  /** That is an undo itself: it does again what that took back. */
  isRedo?: boolean | undefined;
}

/** What is kept of a write before it is sent. */
export interface EntryContent {
  /** One for each id in the path. */
  ids: readonly string[];
  request: { method: string; target: string; body: unknown };
  /** The record as it was, or as much of it as the write is about; null where nothing was there. */
  before: Row | null;
  /** Why nothing is known of what was there. */
  missing?: string | undefined;
}

/** What is kept of what came of it. */
export interface OutcomeContent {
  /** The record as the service answered it; null where the answer has none. */
  after: Row | null;
  /** Of what the service refused, and of what nobody knows. */
  error?: { category: string; message: string; status?: number | undefined } | undefined;
  /** The id that the service gave to a new record. */
  id?: string | undefined;
}

export interface Entry {
  number: number;
  /** Milliseconds since 1970. */
  at: number;
  run: string;
  /** Nothing of it is kept where it was forgotten. */
  command: CommandContent | undefined;
  business: string | null;
  user: string | null;
  /** By the API's own name; null for a request that the contract doesn't know. */
  resource: string | null;
  verb: string | null;
  id: string | null;
  /** By the names of answers. */
  fields: readonly string[];
  sent: EntryContent | undefined;
  outcome: EntryOutcome;
  answered: OutcomeContent | undefined;
  isForgotten: boolean;
}
