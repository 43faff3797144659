/** What a recorder is told of the command whose writes it keeps. */
import type { Hint } from '../../base/hint.ts';
import type { Api } from '../../contract/api.ts';
import type { PlannedWrite, WriteReader } from '../../session/observed-writes.ts';
import type { CommandContent } from '../journal/entry.ts';
import type { AccountFacts } from '../journal/journal.ts';
import type { WaitOptions } from './long-wait.ts';

export interface RecorderOptions extends WaitOptions {
  api: Api;
  /** Where the journal is. */
  file: string;
  /** Where its end is noted; see head-file.ts. */
  headFile?: string | undefined;
  /** The line that was typed, secrets covered. */
  line: string;
  /** Of what isn't a part of a run over many records. */
  run: string;
  profile: string | null;
  /** What is known of the account without asking. */
  account: Omit<AccountFacts, 'key'>;
  undoing?: Pick<CommandContent, 'takesBack' | 'isRedo'> | undefined;
  /** Whether records are read before they are written. */
  isReadBefore: boolean;
  /** What can't be kept is not sent. */
  isRequired: boolean;
  /** Covers what must never be kept, such as the token, wherever it stands. */
  hide(text: string): string;
  /** Told once of what keeps writes from being kept, and of what the journal has lost. */
  onProblem(sentence: Hint): void;
  /** Gets each update with its record as it was read, before it is sent. */
  onRead?(write: PlannedWrite): void;
  /** Told of each write that is kept, has changed something, and can be taken back. */
  onKept?(number: number, run: string): void;
  /** Entries that may wait for somebody to ask for them, where that isn’t as usual. */
  mostWaiting?: number;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Whose writes they are; `known` once somebody has said it. */
export interface Owner {
  key: string;
  known: Awaited<ReturnType<WriteReader['whoami']>>;
}

const nobody: Owner = { key: '', known: undefined };

/** What the journal keeps of an account: what was asked goes before what the profile knows. */
export function accountFacts(
  { key, known }: Owner = nobody,
  account: RecorderOptions['account'],
): AccountFacts {
  const { businessId, businessName, userId, userName } = known ?? {};
  const asked = { business: businessId, businessName, user: userId, userName };
  const told = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return { ...account, ...told, key };
}
