/** Defines a journal entry: one write, the record before it, its outcome, and who sent it. */
import type { AccountInUse } from '../../../account/session/account.ts';
import type { Row } from '../../../account/session/row.ts';

/**
 * The outcome of a write. `unknown` includes writes without an outcome: interrupted, in progress, or recorded with
 * their batch.
 */
export type EntryOutcome = 'done' | 'refused' | 'unknown';

/** The command or bulk run that a group of writes belongs to. */
export interface CommandContent {
  /** The command line as typed, without secrets. */
  line: string;
  profile: string | null;
  /** The account that the writes were sent to, as far as known. */
  business?: AccountInUse['business'];
  /** The user who sent the writes, as far as known. */
  user?: AccountInUse['user'] | undefined;
  /** For an undo: the entry number or the run that it undoes. */
  takesBack?: string | undefined;
  /** Whether this undoes an undo, and so redoes the original writes. */
  isRedo?: boolean | undefined;
  /** The name of the change set that the command began or ended. */
  change?: string | undefined;
}

/** The content that is recorded before a write is sent. */
export interface EntryContent {
  /** The IDs in the path, in its order. */
  ids: readonly string[];
  request: { method: string; target: string; body: unknown };
  /** The record before the write, or the part of it that the write touches; null if it didn't exist. */
  before: Row | null;
  /** The reason why the record before the write isn't known. */
  missing?: string | undefined;
}

export interface OutcomeContent {
  /** The record from the response; null if the response has none. */
  after: Row | null;
  /** The error, if the service refused the write or its outcome is unknown. */
  error?: { category: string; message: string; status?: number | undefined } | undefined;
  /** The ID that the service assigned to a new record. */
  id?: string | undefined;
}

/** One write of the journal. */
export interface Entry {
  number: number;
  /** Milliseconds since 1970. */
  at: number;
  run: string;
  /** Undefined if the command was forgotten. */
  command: CommandContent | undefined;
  /** The name of the business, or its ID. */
  business: string | null;
  /** The name of the user, or the ID. */
  user: string | null;
  /** The API's name of the resource; null for a request that isn't in the contract. */
  resource: string | null;
  verb: string | null;
  id: string | null;
  /** Field names as in responses. */
  fields: readonly string[];
  sent: EntryContent | undefined;
  outcome: EntryOutcome;
  answered: OutcomeContent | undefined;
  isForgotten: boolean;
}
