/** The text of a manifest as a tree in which every node has its location: the same for YAML and JSON. */

/** A location in a file; lines and columns start at 1. They may be computed when they are read. */
export interface FileLocation {
  /** The file as the user named it: a path, or `-`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A string, number, boolean or null. */
export interface ScalarNode {
  kind: 'scalar';
  value: string | number | boolean | null;
  /** The text in the file, without quotes: `007` for the number 7. */
  text: string;
  /** The text before variables were expanded, if there are any. The value is then a string. */
  template?: string;
  /** The variables of the environment that are expanded in the text, without those whose default is used. */
  expanded?: readonly string[];
  /** Why the variables can't be expanded; the value is then the template. */
  problem?: string;
  location: FileLocation;
}

export interface ListNode {
  kind: 'list';
  items: readonly Node[];
  location: FileLocation;
}

export interface MapNode {
  kind: 'map';
  entries: readonly MapEntry[];
  location: FileLocation;
}

/** A name with its node. */
export interface MapEntry {
  name: string;
  location: FileLocation;
  value: Node;
  /** Whether an earlier entry has the same name, which is reported as a mistake. */
  isRepeated?: boolean;
}

/** A node that couldn't be read; the reason is among the mistakes. */
export interface BrokenNode {
  kind: 'broken';
  location: FileLocation;
}

export type Node = ScalarNode | ListNode | MapNode | BrokenNode;

export function entryNamed({ entries }: MapNode, name: string): MapEntry | undefined {
  return entries.find((entry) => entry.name === name);
}

/** Formats a location: `FILE:LINE:COLUMN`. */
export function formatLocation({ file, line, column }: FileLocation): string {
  return `${file}:${line}:${column}`;
}

/** Returns the location as plain data, which doesn't keep the text in memory. */
export function plainLocation({ file, line, column }: FileLocation): FileLocation {
  return { file, line, column };
}

/** Returns the names of the variables that are expanded in a node, at any depth. */
export function variablesIn(node: Node): string[] {
  const children =
    node.kind === 'list' ? node.items : node.kind === 'map' ? node.entries.map(({ value }) => value) : [];
  const expandedHere = node.kind === 'scalar' ? (node.expanded ?? []) : [];
  return [...new Set([...expandedHere, ...children.flatMap(variablesIn)])];
}

/** Returns every variable below a node that can't be expanded. */
export function unexpandedIn(node: Node): ScalarNode[] {
  if (node.kind === 'scalar') return node.problem === undefined ? [] : [node];
  const children =
    node.kind === 'list' ? node.items : node.kind === 'map' ? node.entries.map(({ value }) => value) : [];
  return children.flatMap(unexpandedIn);
}

/** Returns the node at a path such as `options.0.price`, or the last existing node on that path. */
export function nodeAt(node: Node, path: readonly string[]): Node {
  const [first, ...remainingPath] = path;
  if (first === undefined) return node;
  const child =
    node.kind === 'list'
      ? node.items[Number(first)]
      : node.kind === 'map'
        ? entryNamed(node, first)?.value
        : undefined;
  return child === undefined ? node : nodeAt(child, remainingPath);
}

export interface TextFile {
  /** The file as the user named it. */
  file: string;
  text: string;
}

/** The text of a file, which computes the location of an offset. */
export class LocatedText implements TextFile {
  readonly file: string;
  readonly text: string;
  #lineStarts: number[] | undefined;

  constructor({ file, text }: TextFile) {
    this.file = file;
    this.text = text;
  }

  locationAt(offset: number): FileLocation {
    return new TextLocation(this, offset);
  }

  /** Returns the number of the line that contains an offset, from 1, and the offset where the line starts. */
  lineOf(offset: number): { line: number; start: number } {
    this.#lineStarts ??= lineStartsOf(this.text);
    let [low, high] = [0, this.#lineStarts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, start: this.#lineStarts[low] ?? 0 };
  }
}

class TextLocation implements FileLocation {
  readonly #text: LocatedText;
  readonly offset: number;

  constructor(text: LocatedText, offset: number) {
    this.#text = text;
    this.offset = offset;
  }

  get file(): string {
    return this.#text.file;
  }

  get line(): number {
    return this.#text.lineOf(this.offset).line;
  }

  get column(): number {
    return this.offset - this.#text.lineOf(this.offset).start + 1;
  }
}

function lineStartsOf(text: string): number[] {
  const lineStarts = [0];
  for (let offset = text.indexOf('\n'); offset >= 0; offset = text.indexOf('\n', offset + 1))
    lineStarts.push(offset + 1);
  return lineStarts;
}
