/** Hints: what to do next, as text and command lines. They become one text where they are printed. */

/** A command line that a hint suggests. */
export interface CommandLine {
  /** The words that name the command: `runs resume`. */
  readonly command: string;
  /** The words that follow it, as the program receives them. */
  readonly args: readonly string[];
  /** The flags in front of the command, or which flags of the running command line it repeats. */
  readonly flags: readonly string[] | keyof RepeatedFlags;
}

/** Text, a command line, or several of them in a row. */
export type Hint = string | CommandLine | readonly Hint[];

/** The flags of the running command line that suggested commands repeat. */
export interface RepeatedFlags {
  /** Those that choose the account. */
  readonly account: readonly string[];
  /** The same without `--sandbox`, which signing in doesn't need. */
  readonly profile: readonly string[];
  /** The flags of the mirror, written after the command. */
  readonly mirror: readonly string[];
}

/** Makes hints and their command lines, from the command's name and the words that follow it. */
export const boh = {
  /** A hint of text with command lines in it. */
  hint: (texts: TemplateStringsArray, ...parts: Hint[]): Hint =>
    texts.flatMap((text, at) => (at === 0 ? [text] : [parts[at - 1] ?? '', text])),
  /** A hint that leads to the help of a command. */
  help: (command: string): Hint => boh.hint`See: ${boh.plain(command, '--help')}`,
  /** A command that needs no account, or whose own words name one. */
  plain: (command: string, ...args: string[]): CommandLine => ({ command, args, flags: [] }),
  /** A command that needs the account. */
  account: (command: string, ...args: string[]): CommandLine => ({ command, args, flags: 'account' }),
  /** A command that needs the account of a profile; without one, the account of the running command line. */
  of: (profile: string | undefined, command: string, ...args: string[]): CommandLine => ({
    ...{ command, args },
    flags: profile === undefined ? 'account' : ['--profile', profile],
  }),
  /** A command that needs the profile: those of `boh auth`. */
  profile: (command: string, ...args: string[]): CommandLine => ({ command, args, flags: 'profile' }),
  /** A command that needs the account and the mirror. */
  mirror: (command: string, ...args: string[]): CommandLine => ({ command, args, flags: 'mirror' }),
};

/** Returns the hints that are there as one, with the separator between; undefined if there is none. */
export function joinHints(separator: string, ...hints: (Hint | undefined)[]): Hint | undefined {
  const given = hints.filter((hint): hint is Hint => hint !== undefined && hint !== '');
  return given.length === 0
    ? undefined
    : given.flatMap((hint, at) => (at === 0 ? [hint] : [separator, hint]));
}

/** Returns a hint as text, its command lines with the flags that they repeat. */
export function hintText(hint: Hint, repeated?: RepeatedFlags): string {
  if (typeof hint === 'string') return hint;
  if (!('command' in hint)) return hint.map((part) => hintText(part, repeated)).join('');
  const { command, args, flags } = hint;
  const isMirror = flags === 'mirror';
  const before = typeof flags === 'string' ? (repeated?.[isMirror ? 'account' : flags] ?? []) : flags;
  const words = [...((isMirror && repeated?.mirror) || []), ...args];
  return ['boh', ...before.map(quote), command, ...words.map(quote)].filter((word) => word !== '').join(' ');
}

/** Returns a word quoted for a POSIX shell; one that needs no quotes gets none. */
export function quote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", String.raw`'\''`)}'` : `"${word}"`;
}
