/** Defines the options of a recorder: the command, the account and the journal. */
import type { Api } from '../../contract/api.ts';
import type { PlannedWrite, WriteReader } from '../../session/observed-writes.ts';
import type { CommandContent } from '../journal/entry.ts';
import type { AccountDetails } from '../journal/journal.ts';

/** Options of a recorder. */
export interface RecorderOptions {
  api: Api;
  /** The journal's file. */
  file: string;
  /** The command line as typed, without secrets. */
  line: string;
  /** The ID of the run for writes that are not part of a bulk run. */
  run: string;
  profile: string | null;
  /** The details of the account that are known without a request. */
  account: Omit<AccountDetails, 'key'>;
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
  /** Returns the runs whose entries are kept, whatever their age. */
  keptRuns?(): readonly string[];
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

/** The owner of the writes; `whoami` is set when the service has reported it. */
export interface Owner {
  key: string;
  whoami: Awaited<ReturnType<WriteReader['whoami']>>;
}

const noOwner: Owner = { key: '', whoami: undefined };

/** Returns the details of an account for the journal; reported ones take precedence over those of the profile. */
export function accountDetails(
  { key, whoami }: Owner = noOwner,
  account: RecorderOptions['account'],
): AccountDetails {
  const { businessId, businessName, userId, userName } = whoami ?? {};
  const reportedDetails = { business: businessId, businessName, user: userId, userName };
  const definedDetails = Object.fromEntries(
    Object.entries(reportedDetails).filter(([, value]) => value !== undefined),
  );
  return { ...account, ...definedDetails, key };
}
