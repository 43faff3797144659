/** The shared parts of all prompts on a full terminal: window, symbols, keys, and the end of a question. */
import { emitKeypressEvents, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { type KeypressEvent, useEffect, useKeypress, useRef, useState } from '@inquirer/core';
import { createPaint, type Paint } from '../../terminal/color.ts';
import { ctrlZ } from '../../terminal/keys.ts';
import { delayNotes, type Streams } from '../../terminal/streams.ts';
import { handleSuspension } from '../../terminal/suspension.ts';
import { displayWidth, truncate, wrapWords } from '../../terminal/width.ts';
import { BackRequested, canceled, type Question } from './questions.ts';

/** The result of a prompt when the user goes back instead of answering. */
export const backResult = Symbol('back');

/** The window in which a question is drawn: its size, style and options. */
export interface Frame {
  width(): number;
  height(): number;
  paint: Paint;
  symbols: FrameSymbols;
  canGoBack: boolean;
  /** Whether the question disappears from the screen when it ends. */
  clearsWhenDone: boolean;
  /** Calls the listener after each resize. Returns a function that removes it. */
  onResize(listener: () => void): () => void;
  /** Writes to the terminal directly: inquirer counts lines by the width before a resize. */
  write(text: string): void;
}

interface FrameSymbols {
  question: string;
  done: string;
  cursor: string;
  checked: string;
  unchecked: string;
  ellipsis: string;
  separator: string;
}

const unicodeSymbols: FrameSymbols = {
  question: '?',
  done: '✔',
  cursor: '❯',
  checked: '◉',
  unchecked: '◯',
  ellipsis: '…',
  separator: ' · ',
};
const asciiSymbols: FrameSymbols = {
  question: '?',
  done: '>',
  cursor: '>',
  checked: '[x]',
  unchecked: '[ ]',
  ellipsis: '...',
  separator: ' - ',
};

function frameFor(streams: Streams, { canGoBack = false, clearsWhenDone = false }: Question): Frame {
  const { stderr } = streams;
  return {
    width: () => streams.columns('err'),
    height: () => streams.rows('err'),
    paint: createPaint(streams.color.err),
    symbols: streams.unicode ? unicodeSymbols : asciiSymbols,
    canGoBack,
    clearsWhenDone,
    onResize: (listener) => {
      stderr.on('resize', listener);
      return () => stderr.off('resize', listener);
    },
    write: (text) => stderr.write(text),
  };
}

/** Truncates text to one line. The last column stays free because a full line would start another line. */
export function cutLine(text: string, frame: Frame, width = frame.width() - 1): string {
  return truncate(text, Math.max(1, width), frame.symbols.ellipsis);
}

/** Wraps text to a width in terminal columns. */
export function linesWithin(text: string, width: number): string[] {
  return wrapWords(text, width).map((line) => truncate(line, Math.max(1, width), ''));
}

/** Returns the question with the answer after it, or below it if they don't fit in one line. */
export function heading(frame: Frame, message: string, answer: string): string {
  const width = frame.width() - 1;
  const { bold, cyan } = frame.paint;
  const lines = wrapWords(`${frame.symbols.question} ${message}`, width);
  const last = lines.at(-1) ?? '';
  const styledLines = lines.map((line) => bold(line));
  if (displayWidth(last) + 1 + displayWidth(answer) < width)
    return `${styledLines.join('\n')} ${cyan(answer)}`;
  return `${styledLines.join('\n')}\n  ${cyan(answer)}`;
}

/** Returns the line of a question that was answered. */
export function answeredLine(frame: Frame, message: string, answer: string): string {
  const { green, bold, cyan } = frame.paint;
  const width = frame.width() - 1;
  const line = `${frame.symbols.done} ${message} ${answer}`;
  if (displayWidth(line) > width) {
    const [first = '', ...otherLines] = wrapWords(cutLine(line, frame, width * 3), width);
    return [first.replace(frame.symbols.done, (symbol) => green(symbol)), ...otherLines].join('\n');
  }
  return `${green(frame.symbols.done)} ${bold(message)} ${cyan(answer)}`;
}

/** Returns up to `maxLines` lines of key tips, the most important first. */
export function tipLines(frame: Frame, tipTexts: readonly (string | false)[], maxLines = 2): string[] {
  const lines: string[] = [];
  for (const part of tipTexts) {
    if (part === false || part === '') continue;
    const last = lines.at(-1);
    const combined = last === undefined ? part : last + frame.symbols.separator + part;
    if (last !== undefined && displayWidth(combined) < frame.width()) lines[lines.length - 1] = combined;
    else if (lines.length < maxLines) lines.push(part);
    else break;
  }
  return lines.map((line) => frame.paint.dim(cutLine(line, frame)));
}

/** Returns key tips in one line. */
export function tipLine(frame: Frame, tipTexts: readonly (string | false)[]): string {
  return tipLines(frame, tipTexts, 1).join('');
}

/** The part of a readline interface that edits the line. */
export interface Line {
  line: string;
  cursor: number;
  clearLine(direction: 0): void;
  write(text: string): void;
}

/** Replaces the text of the line. */
export function setLine(line: Line, text: string): void {
  line.clearLine(0);
  if (text !== '') line.write(text);
}

/**
 * Handles the keys of a question. `press` is called for each key after readline has applied it. Esc, and ← at the start
 * of the line, call `goBack` if there is a previous question. If `usesEscape` returns true, they don't go back.
 */
export function useKeys(
  frame: Frame,
  goBack: () => void,
  press: (key: KeypressEvent, line: Line) => void,
  usesEscape: (line: Line) => boolean = () => false,
): void {
  const cursor = useRef(0);
  useEffect((rl) => {
    cursor.current = (rl as unknown as Line).cursor;
  }, []);
  useKeypress((key, rl) => {
    const line = rl as unknown as Line;
    const wasAtStart = cursor.current === 0;
    cursor.current = line.cursor;
    if (key.name === 'escape' || (key.name === 'left' && wasAtStart)) {
      if (usesEscape(line) || !frame.canGoBack) return;
      frame.clearsWhenDone = true;
      goBack();
      return;
    }
    press(key, line);
    cursor.current = line.cursor;
  });
}

/**
 * Redraws after a resize. Inquirer doesn't notice that the terminal wraps the lines again. This function clears the
 * screen from the start of the question and writes as many lines as inquirer expects.
 */
export function useWindow(frame: Frame, drawnLines: { above: number; below: number; column: number }): void {
  const [, setVersion] = useState(0);
  const latest = useRef(drawnLines);
  latest.current = drawnLines;
  useEffect(
    () =>
      frame.onResize(() => {
        const { above, below, column } = latest.current;
        const linesUp = above + Math.floor(column / Math.max(1, frame.width()));
        const blankLines = '\n'.repeat(above + below);
        const moveUp = below > 0 ? `\x1b[${below}A` : '';
        frame.write(`\r${linesUp > 0 ? `\x1b[${linesUp}A` : ''}\x1b[J${blankLines}${moveUp}`);
        setVersion((version) => version + 1);
      }),
    [],
  );
}

/** The context that inquirer's prompts run in. */
export interface PromptContext {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
  readonly clearPromptOnDone: boolean;
}

/**
 * Runs one prompt. Inquirer handles Ctrl-C, but would wait forever after Ctrl-D or after the window is closed. Readline
 * then pauses stdin, and this function ends the prompt. `backKeys` go back in inquirer's prompts, which can't go back.
 */
export async function runPrompt<Answer>(
  streams: Streams,
  question: Question,
  prompt: (
    frame: Frame,
    context: PromptContext,
    end: (reason: unknown) => void,
  ) => Promise<Answer | typeof backResult>,
  backKeys: readonly string[] = [],
): Promise<Answer> {
  const { stdin } = streams;
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, ...(question.signal ? [question.signal] : [])]);
  signal.throwIfAborted();
  const end = (reason: unknown) => controller.abort(reason);
  const cancel = () => end(canceled());
  const frame = frameFor(streams, question);
  const goBack = (_text: string, { name = '' }: KeypressEvent) => {
    if (!backKeys.includes(name)) return;
    frame.clearsWhenDone = true;
    end(new BackRequested());
  };
  const { output, leave, redraw } = openOutput(streams);
  const { suspend, release } = handleSuspension(streams, leave, redraw);
  const { emit } = stdin;
  // Readline doesn't get Ctrl-Z: it would stop only this process, and pause stdin afterwards.
  stdin.emit = (event: string, text?: unknown, key?: KeypressEvent) => {
    if (event !== 'keypress' || text !== ctrlZ) return emit.call(stdin, event, text, key);
    suspend();
    return true;
  };
  // Readline waits to distinguish Esc from the start of an arrow key: half a second by default.
  emitKeypressEvents(stdin, { escapeCodeTimeout: 80 } as unknown as Interface);
  const showNotes = delayNotes(streams);
  let result: Answer | typeof backResult;
  try {
    const context = {
      input: stdin,
      output,
      signal,
      get clearPromptOnDone() {
        return frame.clearsWhenDone;
      },
    };
    const answer = prompt(frame, context, end);
    for (const event of inputEndEvents) stdin.once(event, cancel);
    stdin.on('keypress', goBack);
    result = await answer;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Error && error.name === 'ExitPromptError' ? canceled() : error;
  } finally {
    for (const event of inputEndEvents) stdin.off(event, cancel);
    stdin.off('keypress', goBack);
    stdin.emit = emit;
    release();
    showNotes();
  }
  // readline has paused stdin, as it does at the end of every question.
  if (result === backResult) throw new BackRequested();
  return result as Answer;
}

const inputEndEvents = ['pause', 'end', 'close'] as const;

/** Returns inquirer's output, without styles after --no-color, which inquirer doesn't know, and what a suspension needs. */
function openOutput({ stderr, color, columns }: Streams) {
  let drawing = '';
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a style
      const text = color.err ? String(chunk) : String(chunk).replace(/\x1b\[[\d;]*m/g, '');
      // Inquirer ends with these sequences when it has erased its previous drawing.
      drawing = (drawing + text).split('\x1b[2K\x1b[G').at(-1) ?? '';
      stderr.write(text);
      done();
    },
  });
  Object.defineProperties(output, { isTTY: { value: true }, columns: { get: () => columns('err') } });
  return {
    output,
    // Shows the cursor below the question, and clears the lines there, such as the entries of a list.
    leave: () => stderr.write('\x1b[?25h\r\n\x1b[J'),
    // Doesn't wrap lines, so that a window that has become narrower shows as many lines as inquirer expects.
    redraw: () => stderr.write(`\x1b[?7l${drawing}\x1b[?7h`),
  };
}
