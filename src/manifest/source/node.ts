/** A manifest’s text as a tree in which everything knows where it stands: the same for YAML and JSON. */

/** The first line and the first column are 1. They may be counted when they are asked for. */
export interface Place {
  /** As it was named: a path, or `-`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ScalarNode {
  kind: 'scalar';
  value: string | number | boolean | null;
  /** As it stands in the file, without quotes: `007` of a number. */
  text: string;
  /** Where variables stood in it: the text before they were filled in. Its value is a string then. */
  template?: string;
  /** The variables of the environment whose values are in its text; none of those for which a default stands. */
  expanded?: readonly string[];
  at: Place;
}

export interface ListNode {
  kind: 'list';
  items: readonly Node[];
  at: Place;
}

export interface MapNode {
  kind: 'map';
  entries: readonly Entry[];
  at: Place;
}

export interface Entry {
  name: string;
  at: Place;
  value: Node;
}

/** What couldn’t be read; why is among the mistakes. */
export interface BrokenNode {
  kind: 'broken';
  at: Place;
}

export type Node = ScalarNode | ListNode | MapNode | BrokenNode;

export function entryNamed({ entries }: MapNode, name: string): Entry | undefined {
  return entries.find((entry) => entry.name === name);
}

export function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

/** The same, to be kept. */
export function plainPlace({ file, line, column }: Place): Place {
  return { file, line, column };
}

/** Returns the names of the variables whose values are in a node, at any depth. */
export function variablesIn(node: Node): string[] {
  const inner =
    node.kind === 'list' ? node.items : node.kind === 'map' ? node.entries.map(({ value }) => value) : [];
  const own = node.kind === 'scalar' ? (node.expanded ?? []) : [];
  return [...new Set([...own, ...inner.flatMap(variablesIn)])];
}

/** The node at a path such as `options.0.price`, or the last one on the way to it. */
export function nodeAt(node: Node, path: readonly string[]): Node {
  const [first, ...rest] = path;
  if (first === undefined) return node;
  const inner =
    node.kind === 'list'
      ? node.items[Number(first)]
      : node.kind === 'map'
        ? entryNamed(node, first)?.value
        : undefined;
  return inner === undefined ? node : nodeAt(inner, rest);
}

export interface TextFile {
  /** As people named it. */
  file: string;
  text: string;
}

export class PlacedText implements TextFile {
  readonly file: string;
  readonly text: string;
  #starts: number[] | undefined;

  constructor({ file, text }: TextFile) {
    this.file = file;
    this.text = text;
  }

  at(offset: number): Place {
    return new TextPlace(this, offset);
  }

  /** The number of the line that holds an offset, from 1 on, and where it begins. */
  lineOf(offset: number): { line: number; start: number } {
    this.#starts ??= startsOf(this.text);
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, start: this.#starts[low] ?? 0 };
  }
}

class TextPlace implements Place {
  readonly #text: PlacedText;
  readonly offset: number;

  constructor(text: PlacedText, offset: number) {
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

function startsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
