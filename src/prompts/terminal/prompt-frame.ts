/** What all prompts on a full terminal share: window, symbols, keys, and how they end. */
import { emitKeypressEvents, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { type KeypressEvent, useEffect, useKeypress, useRef, useState } from '@inquirer/core';
import { type Paint, painter } from '../../terminal/color.ts';
import { delayNotes, type Streams } from '../../terminal/streams.ts';
import { displayWidth, truncate, wrapped } from '../../terminal/width.ts';
import { canceled, type Question, WentBack } from './questions.ts';

/** The result of a prompt when the person goes back instead of answering. */
export const back = Symbol('back');

/** The window that a question is drawn in, with its current size and its style. */
export interface Frame {
  width(): number;
  height(): number;
  paint: Paint;
  marks: Marks;
  canGoBack: boolean;
  /** Whether the question disappears from the screen when it ends. */
  isGone: boolean;
  /** Calls the listener after each resize. Returns a function that removes it. */
  onResize(listener: () => void): () => void;
  /** Writes to the terminal directly: inquirer counts lines by the width before a resize. */
  write(text: string): void;
}

interface Marks {
  asks: string;
  done: string;
  cursor: string;
  on: string;
  off: string;
  cut: string;
  dot: string;
}

const drawn: Marks = { asks: '?', done: '✔', cursor: '❯', on: '◉', off: '◯', cut: '…', dot: ' · ' };
const typedMarks: Marks = {
  asks: '?',
  done: '>',
  cursor: '>',
  on: '[x]',
  off: '[ ]',
  cut: '...',
  dot: ' - ',
};

function frameFor(streams: Streams, { canGoBack = false, isGone = false }: Question): Frame {
  const { stderr } = streams as { stderr: Writable & { columns?: number; rows?: number } };
  return {
    width: () => stderr.columns || streams.columns,
    height: () => stderr.rows || streams.rows,
    paint: painter(streams.color.err),
    marks: streams.unicode ? drawn : typedMarks,
    canGoBack,
    isGone,
    onResize: (listener) => {
      stderr.on('resize', listener);
      return () => stderr.off('resize', listener);
    },
    write: (text) => stderr.write(text),
  };
}

/** Truncates a text to one line. The last column stays free, as a full line would start another. */
export function cutLine(text: string, frame: Frame, width = frame.width() - 1): string {
  return truncate(text, Math.max(1, width), frame.marks.cut);
}

/** Wraps a text to a width. */
export function linesWithin(text: string, width: number): string[] {
  return wrapped(text, width).map((line) => truncate(line, Math.max(1, width), ''));
}

/** Draws the question with the typed text after it, or below it if they don't fit in one line. */
export function heading(frame: Frame, message: string, typed: string): string {
  const width = frame.width() - 1;
  const { bold, cyan } = frame.paint;
  const lines = wrapped(`${frame.marks.asks} ${message}`, width);
  const last = lines.at(-1) ?? '';
  const styled = lines.map((line) => bold(line));
  if (displayWidth(last) + 1 + displayWidth(typed) < width) return `${styled.join('\n')} ${cyan(typed)}`;
  return `${styled.join('\n')}\n  ${cyan(typed)}`;
}

/** Draws a question that was answered. */
export function answered(frame: Frame, message: string, answer: string): string {
  const { green, bold, cyan } = frame.paint;
  const width = frame.width() - 1;
  const whole = `${frame.marks.done} ${message} ${answer}`;
  if (displayWidth(whole) > width) {
    const [first = '', ...others] = wrapped(cutLine(whole, frame, width * 3), width);
    return [first.replace(frame.marks.done, (mark) => green(mark)), ...others].join('\n');
  }
  return `${green(frame.marks.done)} ${bold(message)} ${cyan(answer)}`;
}

/** Draws key tips, the most important first, in up to `maxLines` lines. */
export function tipLines(frame: Frame, all: readonly (string | false)[], maxLines = 2): string[] {
  const lines: string[] = [];
  for (const part of all) {
    if (part === false || part === '') continue;
    const last = lines.at(-1);
    const together = last === undefined ? part : last + frame.marks.dot + part;
    if (last !== undefined && displayWidth(together) < frame.width()) lines[lines.length - 1] = together;
    else if (lines.length < maxLines) lines.push(part);
    else break;
  }
  return lines.map((line) => frame.paint.dim(cutLine(line, frame)));
}

/** Draws key tips in one line. */
export function tips(frame: Frame, all: readonly (string | false)[]): string {
  return tipLines(frame, all, 1).join('');
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
 * of the line, call `goBack` if there is a previous question, unless `stay` uses the key.
 */
export function useKeys(
  frame: Frame,
  goBack: () => void,
  press: (key: KeypressEvent, line: Line) => void,
  stay: (line: Line) => boolean = () => false,
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
      if (stay(line) || !frame.canGoBack) return;
      frame.isGone = true;
      goBack();
      return;
    }
    press(key, line);
    cursor.current = line.cursor;
  });
}

/**
 * Redraws after a resize. The terminal wraps the lines again, which inquirer doesn't see: this clears everything from
 * the start of the question and makes as many lines as inquirer expects.
 */
export function useWindow(frame: Frame, drawnLines: { above: number; below: number; column: number }): void {
  const [, setVersion] = useState(0);
  const latest = useRef(drawnLines);
  latest.current = drawnLines;
  useEffect(
    () =>
      frame.onResize(() => {
        const { above, below, column } = latest.current;
        const up = above + Math.floor(column / Math.max(1, frame.width()));
        const room = '\n'.repeat(above + below);
        const upAgain = below > 0 ? `\x1b[${below}A` : '';
        frame.write(`\r${up > 0 ? `\x1b[${up}A` : ''}\x1b[J${room}${upAgain}`);
        setVersion((version) => version + 1);
      }),
    [],
  );
}

/** The context that inquirer's prompts run in. */
export interface AskContext {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
  readonly clearPromptOnDone: boolean;
}

/**
 * Runs one question. Inquirer handles Ctrl-C, but would wait forever after Ctrl-D or a closed window: readline then
 * pauses stdin, which ends the question here. `backKeys` go back in a ready-made prompt, which has no such keys.
 */
export async function answering<Answer>(
  streams: Streams,
  asked: Question,
  question: (
    frame: Frame,
    context: AskContext,
    end: (reason: unknown) => void,
  ) => Promise<Answer | typeof back>,
  backKeys: readonly string[] = [],
): Promise<Answer> {
  const { stdin } = streams;
  const controller = new AbortController();
  const end = (reason: unknown) => controller.abort(reason);
  const leave = () => end(canceled());
  const frame = frameFor(streams, asked);
  const goBack = (_text: string, { name = '' }: KeypressEvent) => {
    if (!backKeys.includes(name)) return;
    frame.isGone = true;
    end(new WentBack());
  };
  // Esc is distinguished from the start of an arrow key by waiting, half a second by default.
  emitKeypressEvents(stdin, { escapeCodeTimeout: 80 } as unknown as Interface);
  const release = delayNotes(streams);
  let given: Answer | typeof back;
  try {
    const context = {
      input: stdin,
      output: streams.color.err ? streams.stderr : withoutColor(streams.stderr),
      signal: controller.signal,
      get clearPromptOnDone() {
        return frame.isGone;
      },
    };
    const answer = question(frame, context, end);
    for (const event of inputEnds) stdin.once(event, leave);
    stdin.on('keypress', goBack);
    given = await answer;
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error instanceof Error && error.name === 'ExitPromptError' ? canceled() : error;
  } finally {
    for (const event of inputEnds) stdin.off(event, leave);
    stdin.off('keypress', goBack);
    release();
  }
  // readline has paused stdin by now, as it does at the end of every question.
  if (given === back) throw new WentBack();
  return given as Answer;
}

const inputEnds = ['pause', 'end', 'close'] as const;

/** Removes styles for --no-color: inquirer decides about colors by its own rules. */
function withoutColor(output: Writable & { columns?: number }): Writable {
  const plain = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a style
      output.write(String(chunk).replace(/\x1b\[[\d;]*m/g, ''), done);
    },
  });
  return Object.defineProperties(plain, {
    isTTY: { value: true },
    columns: { get: () => output.columns },
  });
}
