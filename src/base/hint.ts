/** Creates hints about what to do next from text and command lines. They are joined when they are printed. */

/** A command line that a hint suggests. */
export interface CommandLine {
  /** The name of the command: `runs resume`. */
  readonly command: string;
  /** The arguments after it, unquoted. */
  readonly args: readonly string[];
  /** The flags before the command, or the kind of flags that are repeated from the running command line. */
  readonly flags: readonly string[] | keyof RepeatedFlags;
}

/** Text, a command line, or a sequence of both. */
export type Hint = string | CommandLine | readonly Hint[];

/** The flags of the running command line that suggested commands repeat. */
export interface RepeatedFlags {
  /** The flags that choose the account. */
  readonly account: readonly string[];
  /** The same flags without `--sandbox`, which `boh auth` doesn't need. */
  readonly profile: readonly string[];
  /** The flags of the mirror, written after the command. */
  readonly mirror: readonly string[];
}

/** Creates hints and their command lines from the name of a command and its arguments. */
export const boh = {
  /** Creates a hint from text with command lines in it. */
  hint: (strings: TemplateStringsArray, ...parts: Hint[]): Hint =>
    strings.flatMap((text, index) => (index === 0 ? [text] : [parts[index - 1] ?? '', text])),
  /** Creates a hint that refers to the help of a command. */
  help: (command: string): Hint => boh.hint`See: ${boh.plain(command, '--help')}`,
  /** Creates a command line that needs no account, or has arguments that name one. */
  plain: (command: string, ...args: string[]): CommandLine => ({ command, args, flags: [] }),
  /** Creates a command line that needs the account. */
  account: (command: string, ...args: string[]): CommandLine => ({ command, args, flags: 'account' }),
  /** Creates a command line for the account of a profile; without a profile, for the account of the running command line. */
  forProfile: (profile: string | undefined, command: string, ...args: string[]): CommandLine => ({
    ...{ command, args },
    flags: profile === undefined ? 'account' : ['--profile', profile],
  }),
  /** Creates a command line of `boh auth`, which needs the profile. */
  profile: (command: string, ...args: string[]): CommandLine => ({ command, args, flags: 'profile' }),
  /** Creates a command line that needs the account and the mirror. */
  mirror: (command: string, ...args: string[]): CommandLine => ({ command, args, flags: 'mirror' }),
};

/** Joins the hints that aren't empty, with a separator between them. Returns undefined if all are empty. */
export function joinHints(separator: string, ...hints: (Hint | undefined)[]): Hint | undefined {
  const nonEmpty = hints.filter((hint): hint is Hint => hint !== undefined && hint !== '');
  return nonEmpty.length === 0
    ? undefined
    : nonEmpty.flatMap((hint, index) => (index === 0 ? [hint] : [separator, hint]));
}

/** Formats a hint as text. Its command lines contain the flags that they repeat. */
export function formatHint(hint: Hint, repeated?: RepeatedFlags): string {
  if (typeof hint === 'string') return hint;
  if (!('command' in hint)) return hint.map((part) => formatHint(part, repeated)).join('');
  const { command, args, flags } = hint;
  const isMirror = flags === 'mirror';
  const globalFlags = typeof flags === 'string' ? (repeated?.[isMirror ? 'account' : flags] ?? []) : flags;
  const allArgs = [...((isMirror && repeated?.mirror) || []), ...args];
  return ['boh', ...globalFlags.map(quoteForShell), command, ...allArgs.map(quoteForShell)]
    .filter((word) => word !== '')
    .join(' ');
}

/** Quotes a word for a POSIX shell. Returns it unchanged if it doesn't need quotes. */
export function quoteForShell(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`;
}
