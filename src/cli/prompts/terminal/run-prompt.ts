/** Runs one prompt on a full terminal: its keys, drawing, suspension and end. */
import { emitKeypressEvents, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { createPrompt, type KeypressEvent, useEffect, useKeypress, useRef, useState } from '@inquirer/core';
import { ctrlZ, handleSuspension } from '../../terminal/keys.ts';
import { delayNotes, type Streams } from '../../terminal/streams.ts';
import { displayWidth } from '../../terminal/width.ts';
import { Frame } from './frame.ts';
import { BackRequested, canceled, type Question } from './questions.ts';

/** The part of a readline interface that edits the line. */
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

/** A question that boh draws itself: a field, a list or a sheet. */
export interface Screen<Answer> {
  /** The text that the line starts with. */
  readonly initialText: string;
  /** Set when the question is answered. */
  answer?: Answer | undefined;
  /** Returns the content that `BackRequested` keeps. */
  draft(): unknown;
  /** Handles a key after readline has applied it to the line. */
  press(key: KeypressEvent, line: Line): void;
  /** Ends a search after Esc. Returns false if there is none: Esc then goes back. */
  endSearch?(line: Line): boolean;
  /** Returns the lines up to the cursor, and the lines below it. */
  draw(): { content: string; below: readonly string[] };
  afterDraw?(): void;
  /** Starts to watch data that change while the question is open. Returns a function that ends this. */
  watch?(redraw: () => void, fail: (reason: unknown) => void): () => void;
  /** Returns the lines that stay when the question is answered. */
  drawAnswer(): string;
}

export async function runScreen<Answer>(
  streams: Streams,
  question: Question,
  createScreen: (frame: Frame) => Screen<Answer>,
): Promise<Answer> {
  const answer = await runPrompt(streams, question, (frame, context, end) => {
    const goBack = (draft: unknown) => {
      frame.clearsWhenDone = true;
      end(new BackRequested(draft));
    };
    return screenPrompt({ streams, frame, screen: createScreen(frame), goBack, fail: end }, context);
  });
  return answer as Answer;
}

interface ScreenConfig {
  streams: Streams;
  frame: Frame;
  screen: Screen<unknown>;
  goBack(draft: unknown): void;
  fail(reason: unknown): void;
}

const screenPrompt = createPrompt<unknown, ScreenConfig>((config, done) => {
  const { streams, frame, screen, goBack, fail } = config;
  const [, setVersion] = useState(0);
  const redraw = () => setVersion((version) => version + 1);
  const cursor = useRef(0);

  useEffect((rl) => {
    const line = rl as unknown as Line;
    if (screen.initialText !== '') line.write(screen.initialText);
    cursor.current = line.cursor;
    return screen.watch?.(redraw, fail);
  }, []);

  useKeypress((key, rl) => {
    const line = rl as unknown as Line;
    const isLeftOfLine = key.name === 'left' && cursor.current === 0;
    cursor.current = line.cursor;
    if (key.name === 'escape' || isLeftOfLine) {
      if (screen.endSearch?.(line)) redraw();
      else if (frame.canGoBack) goBack(screen.draft());
      return;
    }
    screen.press(key, line);
    cursor.current = line.cursor;
    redraw();
    if (screen.answer !== undefined) done(screen.answer);
  });

  const { content, below } = screen.draw();
  useEffect(() => screen.afterDraw?.(), [{}]);
  const lines = content.split('\n');
  const column = displayWidth(stripVTControlCharacters(lines.at(-1) ?? ''));
  const drawn = useRef({ above: 0, below: 0, column: 0 });
  drawn.current = { above: lines.length - 1, below: below.length, column };
  useEffect(() => {
    // Inquirer doesn't notice that the terminal wraps the lines again: clears the screen from the start of the question,
    // and writes as many lines as inquirer expects.
    const clear = () => {
      const { above, below, column } = drawn.current;
      const linesUp = above + Math.floor(column / (frame.width + 1));
      const moveUp = (count: number) => (count > 0 ? `\x1b[${count}A` : '');
      streams.stderr.write(`\r${moveUp(linesUp)}\x1b[J${'\n'.repeat(above + below)}${moveUp(below)}`);
      redraw();
    };
    streams.stderr.on('resize', clear);
    return () => streams.stderr.off('resize', clear);
  }, []);

  if (screen.answer === undefined) return [content, below.join('\n')];
  return frame.clearsWhenDone ? '' : screen.drawAnswer();
});

/** The context that inquirer's prompts run in. */
export interface PromptContext {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
  readonly clearPromptOnDone: boolean;
}

/**
 * Runs one prompt; `end` ends it with a failure. Inquirer handles Ctrl-C, but would wait forever after Ctrl-D or after the
 * window is closed. Readline then pauses stdin, and this function ends the prompt. `backKeys` go back in inquirer's
 * prompts, which can't go back.
 */
export async function runPrompt<Answer>(
  streams: Streams,
  question: Question,
  prompt: (frame: Frame, context: PromptContext, end: (reason: unknown) => void) => Promise<Answer>,
  backKeys: readonly string[] = [],
): Promise<Answer> {
  const { stdin, stderr } = streams;
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, ...(question.signal ? [question.signal] : [])]);
  signal.throwIfAborted();
  const end = (reason: unknown) => controller.abort(reason);
  const cancel = () => end(canceled());
  const frame = new Frame(streams, question);
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
    if (event !== 'keypress') return emit.call(stdin, event, text, key);
    if (key?.name === 'paste-start' || key?.name === 'paste-end') {
      frame.isPasting = key.name === 'paste-start';
      if (!frame.isPasting) emit.call(stdin, event, undefined, key);
    } else if (text === ctrlZ) suspend();
    else if (frame.isPasting && isLineEnd(key) && !(frame.acceptsLines && key?.name !== 'tab'))
      return emit.call(stdin, event, ' ', { name: 'space', sequence: ' ' });
    else return emit.call(stdin, event, text, key);
    return true;
  };
  stderr.write(startPasteMarks);
  // Readline waits to distinguish Esc from the start of an arrow key: half a second by default.
  emitKeypressEvents(stdin, { escapeCodeTimeout: 80 } as unknown as Interface);
  const showNotes = delayNotes(streams);
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
    return await answer;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Error && error.name === 'ExitPromptError' ? canceled() : error;
  } finally {
    // readline has paused stdin, as it does at the end of every question.
    for (const event of inputEndEvents) stdin.off(event, cancel);
    stdin.off('keypress', goBack);
    stdin.emit = emit;
    release();
    stderr.write(endPasteMarks);
    showNotes();
  }
}

/** With these, the terminal marks what is pasted, so that a line break in it doesn't answer the question. */
const [startPasteMarks, endPasteMarks] = ['\x1b[?2004h', '\x1b[?2004l'];

function isLineEnd(key: KeypressEvent | undefined): boolean {
  return key !== undefined && ['return', 'enter', 'tab'].includes(key.name);
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
    leave: () => stderr.write(`${endPasteMarks}\x1b[?25h\r\n\x1b[J`),
    // Doesn't wrap lines, so that a window that has become narrower shows as many lines as inquirer expects.
    redraw: () => stderr.write(`${startPasteMarks}\x1b[?7l${drawing}\x1b[?7h`),
  };
}
