/** What all questions on a full terminal share: their window, their marks, their keys, and how they end. */
import { emitKeypressEvents, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { type KeypressEvent, useEffect, useKeypress, useRef, useState } from '@inquirer/core';
import { type Paint, painter } from './colour.ts';
import { interrupted, type Question, WentBack } from './questions.ts';
import { holdRemarks, type Streams } from './streams.ts';
import { displayWidth, truncate } from './width.ts';
import { wrapped } from './wrap.ts';

/** What a question resolves with in place of an answer. */
export const back = Symbol('back');

/** The window that questions are drawn in, as it is now, and how. */
export interface Frame {
  width(): number;
  height(): number;
  paint: Paint;
  marks: Marks;
  canGoBack: boolean;
  /** Whether nothing is to stay on the screen once the question is over. */
  isGone: boolean;
  /** Hears of a new size; answers what ends that. */
  onResize(listener: () => void): () => void;
  /** Past the library, which counts lines by a width that is no more. */
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
    paint: painter(streams.colour.err),
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

/** In one line, with a column to spare: a line as wide as the window would begin another. */
export function cutLine(text: string, frame: Frame, width = frame.width() - 1): string {
  return truncate(text, Math.max(1, width), frame.marks.cut);
}

/** Words in lines no wider than the window. */
export function linesWithin(text: string, width: number): string[] {
  return wrapped(text, width).map((line) => truncate(line, Math.max(1, width), ''));
}

/** The question with what is typed behind it, or below it where both have no room in one line. */
export function heading(frame: Frame, message: string, typed: string): string {
  const width = frame.width() - 1;
  const { bold, cyan } = frame.paint;
  const lines = wrapped(`${frame.marks.asks} ${message}`, width);
  const last = lines.at(-1) ?? '';
  const styled = lines.map((line) => bold(line));
  if (displayWidth(last) + 1 + displayWidth(typed) < width) return `${styled.join('\n')} ${cyan(typed)}`;
  return `${styled.join('\n')}\n  ${cyan(typed)}`;
}

/** What stays on the screen of a question that was answered. */
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

/** What can be done here, the first things first, in as many lines as there is room for. */
export function tipLines(frame: Frame, all: readonly (string | false)[], most = 2): string[] {
  const lines: string[] = [];
  for (const part of all) {
    if (part === false || part === '') continue;
    const last = lines.at(-1);
    const together = last === undefined ? part : last + frame.marks.dot + part;
    if (last !== undefined && displayWidth(together) < frame.width()) lines[lines.length - 1] = together;
    else if (lines.length < most) lines.push(part);
    else break;
  }
  return lines.map((line) => frame.paint.dim(cutLine(line, frame)));
}

/** The same in one line. */
export function tips(frame: Frame, all: readonly (string | false)[]): string {
  return tipLines(frame, all, 1).join('');
}

export interface Line {
  line: string;
  cursor: number;
  clearLine(direction: 0): void;
  write(text: string): void;
}

export function setLine(line: Line, text: string): void {
  line.clearLine(0);
  if (text !== '') line.write(text);
}

/**
 * The keys of a question. `press` hears of each once the line editor has taken it; Esc, and ← where there is nothing
 * to its left, answer `back` where there is a question before, unless `stay` has another use for them.
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
 * Draws again in a window of another size. Terminals break lines anew, which the library doesn’t see: what stands
 * below the beginning of the question is taken away, and as many lines are made as it believes to be there.
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

export interface AskContext {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
  readonly clearPromptOnDone: boolean;
}

/**
 * Runs one question. The library notices Ctrl-C, but would wait forever once Ctrl-D or a closed window has
 * ended the input: its line editor then pauses stdin, which is taken as the sign.
 */
export async function answering<Answer>(
  streams: Streams,
  asked: Question,
  question: (
    frame: Frame,
    context: AskContext,
    end: (reason: unknown) => void,
  ) => Promise<Answer | typeof back>,
): Promise<Answer> {
  const { stdin } = streams;
  const controller = new AbortController();
  const end = (reason: unknown) => controller.abort(reason);
  const leave = () => end(interrupted());
  const output = streams.colour.err ? streams.stderr : withoutColour(streams.stderr);
  // Esc alone is told from the beginning of an arrow key by waiting: half a second, were nothing said.
  emitKeypressEvents(stdin, { escapeCodeTimeout: 80 } as unknown as Interface);
  const release = holdRemarks(streams);
  let given: Answer | typeof back;
  try {
    const frame = frameFor(streams, asked);
    const context = {
      input: stdin,
      output,
      signal: controller.signal,
      get clearPromptOnDone() {
        return frame.isGone;
      },
    };
    const answer = question(frame, context, end);
    for (const event of inputEnds) stdin.once(event, leave);
    given = await answer;
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error instanceof Error && error.name === 'ExitPromptError' ? interrupted() : error;
  } finally {
    for (const event of inputEnds) stdin.off(event, leave);
    release();
  }
  // The line editor has paused the input by now, as it does at the end of every question.
  if (given === back) throw new WentBack();
  return given as Answer;
}

const inputEnds = ['pause', 'end', 'close'] as const;

/** The library colours by its own rules, so that --no-color needs the styles taken out again. */
function withoutColour(output: Writable & { columns?: number }): Writable {
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
