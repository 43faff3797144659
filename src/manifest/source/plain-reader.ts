/** Plain YAML and JSON into a tree: throws `NotPlain` for whatever is not plain, or wrong. */
import type { Entry, ListNode, MapNode, Node } from './node.ts';
import { PlainCursor } from './plain-cursor.ts';
import { add, blockText, flowText, NotPlain } from './plain-forms.ts';

const mostLevels = 50;

export class PlainReader extends PlainCursor {
  /** Whether all of it stands in brackets, as in JSON. */
  protected begin(): boolean {
    if (this.text.startsWith('---\n')) this.at = this.lineStart = 4;
    const indent = this.toContent();
    if (indent !== 0) throw new NotPlain();
    return this.text[this.at] === '{' || this.text[this.at] === '[';
  }

  protected end(isFlow: boolean): void {
    if (isFlow) this.toLineEnd();
    if (this.toContent() >= 0) throw new NotPlain();
  }

  /** A map or a list whose first line begins here. */
  protected block(indent: number, level: number): Node {
    if (level > mostLevels) throw new NotPlain();
    return this.isDash() ? this.#list(indent, level) : this.#map(indent, level);
  }

  #list(indent: number, level: number): ListNode {
    const at = this.place.at(this.at);
    const items: Node[] = [];
    for (;;) {
      this.at++;
      this.passSpaces();
      items.push(this.item(level));
      const next = this.toContent();
      if (next < indent || (next === indent && !this.isDash())) return { kind: 'list', at, items };
      if (next > indent) throw new NotPlain();
    }
  }

  protected item(level: number): Node {
    const from = this.at;
    const isMap = this.name() !== undefined && this.isColon();
    this.at = from;
    return isMap ? this.#map(from - this.lineStart, level + 1) : this.lineValue(level + 1);
  }

  #map(indent: number, level: number): MapNode {
    if (level > mostLevels) throw new NotPlain();
    const at = this.place.at(this.at);
    const entries: Entry[] = [];
    for (;;) {
      const nameAt = this.place.at(this.at);
      const name = this.blockName();
      add(entries, { name, at: nameAt, value: this.#value(indent, level) });
      const next = this.toContent();
      if (next < indent) return { kind: 'map', at, entries };
      if (next > indent) throw new NotPlain();
    }
  }

  /** Behind the colon: on this line, or as a block further down. */
  #value(indent: number, level: number): Node {
    const character = this.text[this.at];
    if (character !== undefined && character !== '\n' && character !== '#') return this.lineValue(level);
    this.toNextLine();
    const next = this.toContent();
    const isBelow = next > indent || (next === indent && this.isDash());
    if (!isBelow) throw new NotPlain();
    return this.block(next, level + 1);
  }

  protected lineValue(level: number): Node {
    const character = this.text[this.at];
    const node =
      character === '['
        ? this.#flowList(level + 1, false)
        : character === '{'
          ? this.flow(level + 1, false)
          : this.scalar(blockText);
    this.toLineEnd();
    return node;
  }

  /** `{ a: b }` or `[a, b]`. At the top of a file, as in JSON, over many lines. */
  protected flow(level: number, overLines: boolean): Node {
    if (level > mostLevels) throw new NotPlain();
    const character = this.text[this.at];
    if (character === '{') return this.#flowMap(level, overLines);
    return character === '[' ? this.#flowList(level, overLines) : this.scalar(flowText);
  }

  #flowList(level: number, overLines: boolean): ListNode {
    const at = this.place.at(this.at);
    const items: Node[] = [];
    for (let isFirst = true; !this.isClosed(']', isFirst, overLines); isFirst = false) {
      items.push(this.flow(level + 1, overLines));
    }
    return { kind: 'list', at, items };
  }

  #flowMap(level: number, overLines: boolean): MapNode {
    const at = this.place.at(this.at);
    const entries: Entry[] = [];
    for (let isFirst = true; !this.isClosed('}', isFirst, overLines); isFirst = false) {
      const nameAt = this.place.at(this.at);
      const name = this.flowName(overLines);
      add(entries, { name, at: nameAt, value: this.flow(level + 1, overLines) });
    }
    return { kind: 'map', at, entries };
  }

  /** With its colon; stands at the value then. */
  protected flowName(overLines: boolean): string {
    const isQuoted = this.text[this.at] === '"';
    const name = this.name();
    if (name === undefined || this.text[this.at] !== ':') throw new NotPlain();
    if (!isQuoted && this.text[this.at + 1] !== ' ') throw new NotPlain();
    this.at++;
    this.toFlow(overLines);
    return name;
  }
}
