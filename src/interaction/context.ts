/** What every command is handed: the API, the streams, the global flags, and settings and session once they are needed. */

import type { Api } from '../contract/api.ts';
import type { Environment } from '../environment.ts';
import type { Failure } from '../errors.ts';
import type { SentWrites } from '../session/sent-writes.ts';
import type { Session } from '../session/session.ts';
import type { Settings } from '../settings/settings.ts';
import type { Streams } from '../terminal/streams.ts';
import type { Globals } from './globals.ts';

/** How many requests go out at once, where it isn't one after the other. */
export interface Traffic {
  concurrency: number;
  /** The line says how many requests at most: an embedded sandbox keeps to that, too. */
  isRateSaid: boolean;
}

/** What the history has kept of the writes of a command, as far as they can be taken back. */
export interface KeptWrites {
  count: number;
  /** Of the last one. */
  number: number | undefined;
  run: string | undefined;
  /** The line that takes it back has been told. */
  isUndoTold?: boolean;
  /** What of the writes can’t be taken back, as it was said. */
  lasting: Set<string>;
  /** Writes what is still to be written of it, and closes it. */
  finish: (() => void)[];
  /** Of an undo: what it takes back, and whether that is an undo itself. */
  undoing?: { takesBack: string; isRedo: boolean } | undefined;
}

export interface Context {
  api: Api;
  /** What is put back when the command has ended, whatever came of it. */
  atEnd: (() => void)[];
  /** The words of the line. */
  argv: readonly string[];
  streams: Streams;
  env: Environment;
  globals: Globals;
  /** Aborted when the person or the system interrupts. */
  signal: AbortSignal;
  /** Ends the command after so many milliseconds with this failure. */
  endAfter(ms: number, failure: Failure): void;
  /** Another program is in the foreground: signals reach it, and it is the one to decide when it ends. */
  yieldTo<Value>(program: Promise<Value>): Promise<Value>;
  now(): Date;
  /** Runs another line, as if it had been typed in place of this one. */
  again(argv: readonly string[]): Promise<void>;
  kept: KeptWrites;
  /** Whether the command that the line names writes to an account, once that is known: its failures say what became of that. */
  isWrite?: boolean | undefined;
  /** The writes of all sessions of the command; undefined while none was opened. */
  sent?: SentWrites | undefined;
  /** Where the line has said that the mirror is: its next steps are about that one. */
  mirrorPlace?: string;
  /** What the process ends with where the command has done its work: 0, unless it passes on another program's. */
  exitCode: number;
  /** Read on first use: help and version need no configuration. */
  settings(): Promise<Settings>;
  /** The account of the settings in effect: over the network, or in the embedded sandbox where that is chosen. */
  session(): Promise<Session>;
  /**
   * The same for other settings than those in effect: signing in tries a token before it is kept. What is not done
   * when `until` aborts is given up.
   */
  sessionFor(settings: Settings, until?: AbortSignal, traffic?: Traffic): Promise<Session>;
}
