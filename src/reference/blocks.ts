/** What a text of the reference is made of, before it becomes Markdown, a man page or lines on a terminal. */

/**
 * Texts are plain, but for two marks that every writer knows: `code` between backticks, and [words](page.md) for
 * a link between pages.
 */
export type Block =
  | { kind: 'heading'; text: string; level: 2 | 3 }
  | { kind: 'paragraph'; text: string }
  /** Terms with what they mean; a meaning of several lines is a list. */
  | { kind: 'terms'; terms: readonly Term[] }
  /** The first column names the row; where there is no room for a table, the others follow it as sentences. */
  | { kind: 'table'; head: readonly string[]; rows: readonly (readonly string[])[] }
  /** Command lines, which a writer may break where a shell reads on. */
  | { kind: 'code'; lines: readonly string[] }
  /** What a command prints, line by line as it is. */
  | { kind: 'screen'; lines: readonly string[] };

export interface Term {
  term: string;
  text: string | readonly string[];
}

export interface Page {
  /** The name of its file, without an ending: `suppliers`. */
  name: string;
  /** One line, for lists of pages. */
  summary: string;
  blocks: readonly Block[];
}

export const heading = (text: string, level: 2 | 3 = 2): Block => ({ kind: 'heading', text, level });
export const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
export const terms = (all: readonly Term[]): Block => ({ kind: 'terms', terms: all });
export const code = (...lines: string[]): Block => ({ kind: 'code', lines });
export const screen = (lines: readonly string[]): Block => ({ kind: 'screen', lines });
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  kind: 'table',
  head,
  rows,
});

/** Blocks under a heading; nothing at all where there are none. */
export function section(title: string, blocks: readonly Block[], level: 2 | 3 = 2): Block[] {
  return blocks.length === 0 ? [] : [heading(title, level), ...blocks];
}

/** A text in its parts, for writers that show code and links in a way of their own. */
export type Inline = { kind: 'text' | 'code'; text: string } | { kind: 'link'; text: string; to: string };

export function inlines(text: string): Inline[] {
  const parts = text.split(/(`[^`]+`|\[[^\]]+\]\([\w.#-]+\))/);
  return parts.filter(Boolean).map((part) => {
    const [, words, to] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
    if (words !== undefined && to !== undefined) return { kind: 'link', text: words, to };
    if (/^`.+`$/.test(part)) return { kind: 'code', text: part.slice(1, -1) };
    return { kind: 'text', text: part };
  });
}
