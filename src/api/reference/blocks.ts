/** Defines the blocks of the reference, which become Markdown, man pages or lines on a terminal. */

/**
 * A block. Text is plain apart from `code` in backticks and [words](page.md) for a link between pages.
 */
export type Block =
  | { kind: 'heading'; text: string; level: 2 | 3 }
  | { kind: 'paragraph'; text: string }
  /** Terms with their meanings; a meaning of several lines is a list. */
  | { kind: 'terms'; terms: readonly Term[] }
  /** The first column names the row. On narrow terminals, the other cells follow it as sentences. */
  | { kind: 'table'; head: readonly string[]; rows: readonly (readonly string[])[] }
  /** Command lines, which may be broken with a backslash. */
  | { kind: 'code'; lines: readonly string[] }
  /** The output of a command, unchanged. */
  | { kind: 'screen'; lines: readonly string[] };

export interface Term {
  term: string;
  text: string | readonly string[];
}

export interface ReferencePage {
  /** The file name without extension: `suppliers`. */
  name: string;
  /** The first heading of the Markdown page, if it isn't the name. */
  title?: string;
  /** A summary in one line, for lists of pages. */
  summary: string;
  blocks: readonly Block[];
}

export const heading = (text: string, level: 2 | 3 = 2): Block => ({ kind: 'heading', text, level });
export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
/** Creates a list of terms. */
export const terms = (items: readonly Term[]): Block => ({ kind: 'terms', terms: items });
/** Creates a block of command lines. */
export const code = (...lines: string[]): Block => ({ kind: 'code', lines });
/** Creates a block with the output of a command. */
export const screen = (lines: readonly string[]): Block => ({ kind: 'screen', lines });
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  kind: 'table',
  head,
  rows,
});

/** Returns the blocks under a heading; empty if there are no blocks. */
export function section(title: string, blocks: readonly Block[], level: 2 | 3 = 2): Block[] {
  return blocks.length === 0 ? [] : [heading(title, level), ...blocks];
}

/** A part of text: plain text, code or a link. */
export type Inline = { kind: 'text' | 'code'; text: string } | { kind: 'link'; text: string; to: string };

/** Splits text into plain text, code and links. */
export function parseInlines(text: string): Inline[] {
  const parts = text.split(/(`[^`]+`|\[[^\]]+\]\([\w./#-]+\))/);
  return parts.filter(Boolean).map((part) => {
    const [, words, to] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    if (words !== undefined && to !== undefined) return { kind: 'link', text: words, to };
    if (/^`.+`$/.test(part)) return { kind: 'code', text: part.slice(1, -1) };
    return { kind: 'text', text: part };
  });
}
