/** The context of a command: the API, the streams and the global flags; settings and sessions are opened on first use. */

import type { SentWrites } from '../../account/session/observed-writes.ts';
import type { Session } from '../../account/session/session.ts';
import type { Settings } from '../../account/settings/settings.ts';
import type { Api } from '../../api/contract/api.ts';
import type { Environment } from '../../base/environment.ts';
import type { Failure } from '../../base/errors.ts';
import type { RepeatedFlags } from '../../base/hint.ts';
import type { Streams } from '../terminal/streams.ts';

/** The limits on the requests of a session. */
export interface Traffic {
  concurrency: number;
  /** Whether the command line limits the rate. If so, the limit also applies to an embedded sandbox. */
  isRateSet: boolean;
}

/** The writes of a command that the history recorded and that can be undone. */
export interface RecordedWrites {
  count: number;
  /** The number of the last recorded write. */
  number: number | undefined;
  run: string | undefined;
  /** Whether the command that undoes them was shown. */
  isUndoShown?: boolean;
  /** Messages about writes that can't be undone. */
  irreversible: Set<string>;
  /** Functions that write pending entries and close the history. */
  finish: (() => void)[];
  /** For an undo: a description of the undone writes, and whether they were an undo themselves. */
  undoing?: { takesBack: string; isRedo: boolean } | undefined;
  /** The name of the change set that the command begins or ends. */
  change?: string | undefined;
}

export interface Context {
  /** The API, after `addDeployment` with the additions of the account's kind of service. */
  api: Api;
  /** Functions that are called when the command ends, also after a failure. */
  atEnd: (() => void)[];
  /** The arguments of the command line. */
  argv: readonly string[];
  streams: Streams;
  env: Environment;
  globals: Globals;
  /** Aborted by SIGINT or SIGTERM. */
  signal: AbortSignal;
  /** Ends the command after `ms` milliseconds with a failure. */
  endAfter(ms: number, failure: Failure): void;
  /** Waits for another program in the foreground, which handles signals itself. */
  waitForForeground<Value>(program: Promise<Value>): Promise<Value>;
  now(): Date;
  /** Returns the time of the embedded sandbox, which may have a clock of its own. Set when the sandbox is open. */
  sandboxNow?: () => Date;
  /** Runs another command line instead of this one. */
  rerun(argv: readonly string[]): Promise<void>;
  recordedWrites: RecordedWrites;
  /** Whether the command writes to an account; undefined until that is known. Failures of writes report an outcome. */
  isWrite?: boolean | undefined;
  /** The writes of all sessions of the command; undefined before the first session. */
  sent?: SentWrites | undefined;
  /** The mirror that the command line names with `--to`. Commands in messages repeat it. */
  mirrorLocation?: string;
  /** The exit code after success: 0, or that of another program. */
  exitCode: number;
  /** Reads the settings on first use, because help and version don't need them. */
  settings(): Promise<Settings>;
  /** Adds the resources and fields of the preset to the API, if the account that the global flags select has one. */
  addDeployment(): Promise<void>;
  /** Opens the account of the settings: over the network, or in the embedded sandbox. */
  session(): Promise<Session>;
  /**
   * Opens an account with other settings, such as a token that is tested before it is stored. `signal` aborts its requests.
   */
  sessionFor(settings: Settings, signal?: AbortSignal, traffic?: Traffic): Promise<Session>;
}

/** The global flags of the command line, not yet validated. */
export interface Globals {
  profile?: string;
  sandbox?: boolean;
  baseUrl?: string;
  apiPrefix?: string;
  yes?: boolean;
  /** False with `--no-input`. */
  input?: boolean;
  dryRun?: boolean;
  offline?: boolean;
  unchecked?: boolean;
  strictValues?: boolean;
  timeout?: string;
  deadline?: string;
  quiet?: boolean;
  verbose?: boolean;
  /** False with `--no-color`. */
  color?: boolean;
  copy?: boolean;
  /** False with `--no-pager`. */
  pager?: boolean;
  output?: string;
  outputText?: string;
  json?: boolean;
  version?: boolean;
}

export function accountFlags({ sandbox, profile, baseUrl, apiPrefix }: Globals): string[] {
  return [
    ...(sandbox ? ['--sandbox'] : []),
    ...(profile === undefined ? [] : ['--profile', profile]),
    ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
    ...(apiPrefix === undefined ? [] : ['--api-prefix', apiPrefix]),
  ];
}

/** Returns the flags that command lines in messages repeat; `mirror` is the value of `--to`. */
export function repeatedFlags(globals: Globals, mirror: string | undefined): RepeatedFlags {
  return {
    account: accountFlags(globals),
    profile: accountFlags({ ...globals, sandbox: false }),
    mirror: mirror === undefined ? [] : ['--to', mirror],
  };
}
