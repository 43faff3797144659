/** Defines the options of a recorder: the command, the account and the journal. */
import type { Api } from '../../contract/api.ts';
import type { PlannedWrite } from '../../session/observed-writes.ts';
import type { CommandContent } from '../journal/entry.ts';

/** Options of a recorder. */
export interface RecorderOptions {
  api: Api;
  folder(): Promise<string>;
  /** The command line as typed, without secrets. */
  line: string;
  /** The ID of the run for writes that are not part of a bulk run. */
  run: string;
  profile: string | null;
  undoing?: Pick<CommandContent, 'takesBack' | 'isRedo'> | undefined;
  /** The name of the change set that the command begins or ends. */
  change?: string | undefined;
  /** Whether records are read before they are written. */
  isReadBefore: boolean;
  /** Whether a write that can't be recorded is not sent. */
  isRequired: boolean;
  /** Removes secrets such as the token from a string. */
  hide(text: string): string;
  /** Called once for a problem that prevents recording. */
  onProblem(message: string): void;
  /** Called for each update with the record as read, before the update is sent. */
  onRead?(write: PlannedWrite): void;
  /** Called for each recorded write that has changed something and can be undone. */
  onKept?(number: number, run: string): void;
  /** Returns the runs of the account in this folder whose entries are kept, whatever their age. */
  keptRuns?(folder: string): readonly string[];
  /** Called once, with a message, if a write waits for another process. */
  onWait?(message: string): void;
  /** Ends such a wait with its reason. */
  signal?: AbortSignal | undefined;
  /** The maximum wait in milliseconds, if it isn't the default. */
  maxWaitMs?: number | undefined;
  /** The maximum number of queued entries, if it isn't the default. */
  maxWaiting?: number;
  /** Returns milliseconds since 1970. */
  now(): number;
}
