/** The window in which a question is drawn: its size, its styles and symbols, and the lines that fit in it. */
import { cleanLine, toAscii } from '../../terminal/clean.ts';
import { createPaint, type Paint } from '../../terminal/color.ts';
import type { Streams } from '../../terminal/streams.ts';
import { displayWidth, truncate, wrapWords } from '../../terminal/width.ts';
import type { Question } from './questions.ts';

const unicodeSymbols = {
  question: '?',
  done: '✔',
  cursor: '❯',
  checked: '◉',
  unchecked: '◯',
  ellipsis: '…',
  separator: ' · ',
};
const asciiSymbols: typeof unicodeSymbols = {
  question: '?',
  done: '>',
  cursor: '>',
  checked: '[x]',
  unchecked: '[ ]',
  ellipsis: '...',
  separator: ' - ',
};

/** The minimum height of a window that also shows the hint and a second line of tips. */
const minRoomyRows = 13;

/** The window of a question. Its methods return clean text. */
export class Frame {
  readonly paint: Paint;
  readonly symbols: typeof unicodeSymbols;
  readonly canGoBack: boolean;
  /** Whether the question disappears from the screen when it ends. */
  clearsWhenDone: boolean;
  /** Whether the keys come from the clipboard. */
  isPasting = false;
  /** Whether pasted line breaks are keys, as in a sheet. Otherwise they are spaces. */
  acceptsLines = false;
  readonly #streams: Streams;

  constructor(streams: Streams, { canGoBack = false, clearsWhenDone = false }: Question) {
    this.#streams = streams;
    this.paint = createPaint(streams.color.err);
    this.symbols = streams.unicode ? unicodeSymbols : asciiSymbols;
    this.canGoBack = canGoBack;
    this.clearsWhenDone = clearsWhenDone;
  }

  get height(): number {
    return this.#streams.rows('err');
  }

  /** The columns of a line. The last column of the window stays free because a full line would start another line. */
  get width(): number {
    return this.#streams.columns('err') - 1;
  }

  get isRoomy(): boolean {
    return this.height >= minRoomyRows;
  }

  /** Returns text from anywhere as one line that can be drawn. */
  clean(text: string): string {
    const line = cleanLine(text);
    return this.#streams.unicode ? line : toAscii(line);
  }

  cut(text: string, width = this.width): string {
    return truncate(this.clean(text), Math.max(1, width), this.symbols.ellipsis);
  }

  /** Wraps text to lines; no lines if it is empty. */
  wrap(text = '', width = this.width): string[] {
    if (text === '') return [];
    return wrapWords(this.clean(text), width).map((line) => truncate(line, Math.max(1, width), ''));
  }

  /** Returns the question with the answer after it, or below it if they don't fit in one line. */
  heading(message: string, answer: string): string {
    const { bold, cyan } = this.paint;
    const lines = wrapWords(this.clean(`${this.symbols.question} ${message}`), this.width);
    const fits = displayWidth(lines.at(-1) ?? '') + 1 + displayWidth(answer) < this.width;
    return `${lines.map((line) => bold(line)).join('\n')}${fits ? ' ' : '\n  '}${cyan(answer)}`;
  }

  answered(message: string, answer: string): string {
    const { green, bold, cyan } = this.paint;
    const { done } = this.symbols;
    const line = this.clean(`${done} ${message} ${answer}`);
    if (displayWidth(line) <= this.width) {
      return `${green(done)} ${bold(this.clean(message))} ${cyan(this.clean(answer))}`;
    }
    const [first = '', ...otherLines] = wrapWords(this.cut(line, this.width * 3), this.width);
    return [first.replace(done, (symbol) => green(symbol)), ...otherLines].join('\n');
  }

  /** Returns up to `maxLines` lines of tips, the most important first. */
  tips(texts: readonly (string | false)[], maxLines = this.isRoomy ? 2 : 1): string[] {
    const lines: string[] = [];
    for (const text of texts) {
      if (!text) continue;
      const last = lines.at(-1);
      const combined = last === undefined ? text : last + this.symbols.separator + text;
      if (last !== undefined && displayWidth(combined) <= this.width) lines[lines.length - 1] = combined;
      else if (lines.length < maxLines) lines.push(text);
      else break;
    }
    return lines.map((line) => this.paint.dim(this.cut(line)));
  }
}
