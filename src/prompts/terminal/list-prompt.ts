/** A prompt for one or several entries of a list. Typing searches the list, which may still be loading. */
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isTabKey,
  isUpKey,
  type KeypressEvent,
  useEffect,
  useState,
} from '@inquirer/core';
import { cleanLine } from '../../terminal/clean.ts';
import { pad } from '../../terminal/width.ts';
import {
  answeredLine,
  backResult,
  cutLine,
  type Frame,
  heading,
  type Line,
  linesWithin,
  setLine,
  tipLines,
  useKeys,
  useWindow,
} from './prompt-frame.ts';
import { type Choice, choiceKey, type PickQuestion, type SeveralFromList } from './questions.ts';

/** A list's question, and the window to draw it in. */
export interface ListConfig<Value> extends PickQuestion<Value> {
  frame: Frame;
  /** Options for choosing several entries; undefined if Enter chooses one. */
  multiSelect?:
    | (Pick<SeveralFromList<Value>, 'onBack' | 'enterChoosesCurrent'> & {
        required: boolean;
        chosen: readonly Choice<Value>[];
      })
    | undefined;
  /** Ends the question with a failure. */
  fail(reason: unknown): void;
}

type Answer = readonly Choice<unknown>[] | typeof backResult;

/** The minimum width of the window for a preview next to the list. */
const minPreviewColumns = 100;

/** The minimum height of the window for the hint and a second line of tips. */
const minRoomyRows = 13;

const loadingText = 'Still loading. No matches yet.';

/** Asks for entries of a list. */
export const listPrompt = createPrompt<Answer, ListConfig<unknown>>((config, done) => {
  const { frame, entries } = config;
  const [list] = useState(() => new SearchedList(config));
  const [, setVersion] = useState(0);
  const redraw = () => setVersion((version) => version + 1);

  useEffect((rl) => {
    if (config.typed) rl.write(config.typed);
    return entries.onChange((failure) => (failure === undefined ? redraw() : config.fail(failure)));
  }, []);

  const goBack = () => {
    list.goBack();
    redraw();
    done(backResult);
  };
  useKeys(frame, goBack, (key, line) => {
    if (!list.isOpen) return;
    list.press(key, line);
    redraw();
    if (list.answer) done(list.answer);
  });

  const { content, below, wantedCount } = list.draw();
  useEffect(() => {
    void entries.load(list.typed, wantedCount);
  }, [list.typed, wantedCount]);
  const lines = content.split('\n');
  useWindow(frame, { above: lines.length - 1, below: below.length, column: (lines.at(-1) ?? '').length });

  if (!list.isOpen && frame.clearsWhenDone) return '';
  if (list.answer)
    return answeredLine(frame, config.message, list.answer.map(({ label }) => label).join(', '));
  return [content, below.join('\n')];
});

/** The state of the prompt: the typed text, the chosen entries and the cursor. */
class SearchedList {
  readonly #config: ListConfig<unknown>;
  readonly #checked: Map<string, Choice<unknown>>;
  /** Whether the question is still unanswered. */
  isOpen = true;
  answer: readonly Choice<unknown>[] | undefined;
  typed: string;
  #problem: string | undefined;
  #active: number;
  #top = 0;
  #hasToggled = false;
  /** Whether the next typed text starts a new search, because an entry was checked since the last search. */
  #startsNewSearch = false;

  constructor(config: ListConfig<unknown>) {
    const { entries, initial, typed = '', problem, multiSelect } = config;
    this.#config = config;
    this.#checked = new Map(multiSelect?.chosen.map((choice) => [choiceKey(choice), choice]));
    this.typed = typed;
    this.#problem = problem;
    const isInitial = ({ value }: Choice<unknown>) => value === initial;
    this.#active = initial === undefined ? 0 : Math.max(0, entries.matching('').findIndex(isInitial));
  }

  goBack(): void {
    this.#config.multiSelect?.onBack?.([...this.#checked.values()].map(({ value }) => value));
    this.isOpen = false;
  }

  press(key: KeypressEvent, line: Line): void {
    const page = Math.max(1, this.#layout().maxRows - 1);
    const pages: Record<string, number> = { pagedown: page, pageup: -page };
    const step = isUpKey(key) ? -1 : isDownKey(key) ? 1 : pages[key.name];
    if (isEnterKey(key)) this.#enter(line);
    else if (isTabKey(key)) setLine(line, this.typed);
    else if (step !== undefined) this.#move(step, line);
    else if (this.#config.multiSelect && isSpaceKey(key)) this.#toggle(line);
    else if (line.line !== this.typed) this.#search(line);
  }

  #enter(line: Line): void {
    const { multiSelect } = this.#config;
    if (this.typed !== '') line.write(this.typed);
    // "None of several" can be chosen before the list has loaded.
    if (this.#isLoading() && !(multiSelect && this.typed === '')) {
      this.#problem = loadingText;
      return;
    }
    const { current } = this.#cursor();
    if (!multiSelect || (multiSelect.enterChoosesCurrent && this.#checked.size === 0 && current)) {
      if (current) this.#finish([current]);
    } else if (multiSelect.required && this.#checked.size === 0) {
      this.#problem = 'Choose at least one: press Space.';
    } else if (this.typed !== '' && current && !this.#hasToggled && this.#problem === undefined) {
      // A user who searched and chose nothing may expect that Enter chooses the entry.
      this.#problem = `Press Space to choose "${current.label}", or Enter again to continue without it.`;
    } else {
      this.#finish([...this.#checked.values()]);
    }
  }

  #finish(chosen: readonly Choice<unknown>[]): void {
    this.answer = chosen;
    this.isOpen = false;
  }

  #toggle(line: Line): void {
    setLine(line, this.typed);
    const { current } = this.#cursor();
    if (!current) {
      if (this.#isLoading()) this.#problem = loadingText;
      return;
    }
    if (!this.#checked.delete(choiceKey(current))) this.#checked.set(choiceKey(current), current);
    this.#hasToggled = true;
    this.#startsNewSearch = true;
    this.#problem = undefined;
  }

  #move(step: number, line: Line): void {
    const { entries } = this.#config;
    const { all, at } = this.#cursor();
    // readline may have replaced the line by one from its history.
    if (line.line !== this.typed) setLine(line, this.typed);
    this.#problem = undefined;
    const last = Math.max(0, all.length - 1);
    const next = at + step;
    if (next >= all.length) void entries.load(this.typed, all.length + this.#layout().maxRows);
    const wraps = Math.abs(step) === 1 && entries.isComplete(this.typed);
    if (next < 0) this.#active = wraps ? last : 0;
    else if (next > last) this.#active = wraps ? 0 : last;
    else this.#active = next;
  }

  #search(line: Line): void {
    if (this.#startsNewSearch && line.line.startsWith(this.typed))
      setLine(line, line.line.slice(this.typed.length));
    this.#startsNewSearch = false;
    this.typed = line.line;
    this.#active = 0;
    this.#problem = undefined;
  }

  /** Returns whether the list is still loading and has no match yet. */
  #isLoading(): boolean {
    return !this.#cursor().current && !this.#config.entries.isComplete(this.typed);
  }

  #cursor(): { all: readonly Choice<unknown>[]; at: number; current: Choice<unknown> | undefined } {
    const all = this.#config.entries.matching(this.typed);
    const at = Math.min(this.#active, Math.max(0, all.length - 1));
    return { all, at, current: all[at] };
  }

  draw(): { content: string; below: string[]; wantedCount: number } {
    const { frame } = this.#config;
    const { all, at, current } = this.#cursor();
    const { content, notes, tips, maxRows } = this.#layout();
    const top = Math.max(at - maxRows + 1, Math.min(this.#top, at));
    this.#top = Math.max(0, Math.min(top, all.length - maxRows));
    const rows = all
      .slice(this.#top, this.#top + maxRows)
      .map((choice, index) => this.#rowText(choice, index));
    const activeRow = at - this.#top;
    const lines = withPreview(rows, current, maxRows, frame).map(
      ([text, side], index) =>
        (index === activeRow && index < rows.length ? frame.paint.cyan(text) : text) + frame.paint.dim(side),
    );
    return { content, below: [...lines, ...notes, ...tips], wantedCount: at + maxRows };
  }

  #rowText(choice: Choice<unknown>, index: number): string {
    const { frame, multiSelect } = this.#config;
    const { checked: on, unchecked: off, cursor } = frame.symbols;
    const mark = multiSelect ? `${this.#checked.has(choiceKey(choice)) ? on : off} ` : '';
    return `${this.#top + index === this.#cursor().at ? cursor : ' '} ${mark}${choice.label}`;
  }

  /** Returns the lines around the list, and the number of rows that are left for it. */
  #layout(): { content: string; notes: string[]; tips: string[]; maxRows: number } {
    const { frame, message } = this.#config;
    const content = heading(frame, message, this.typed);
    const notes = this.#noteLines();
    const tips = tipLines(frame, this.#tipTexts(), frame.height() >= minRoomyRows ? 2 : 1);
    const usedLines = content.split('\n').length + notes.length + tips.length + 1;
    return { content, notes, tips, maxRows: Math.max(3, frame.height() - usedLines) };
  }

  #tipTexts(): (string | false)[] {
    const { frame, entries, multiSelect } = this.#config;
    const enter =
      multiSelect?.enterChoosesCurrent && this.#checked.size === 0
        ? 'Enter to choose this one'
        : 'Enter to finish';
    return [
      multiSelect ? `${this.#checked.size} chosen` : '',
      entries.status(this.typed),
      this.typed === '' && 'type to search',
      multiSelect ? 'Space to choose' : 'Enter to choose',
      multiSelect ? enter : '',
      frame.canGoBack && 'Esc to go back',
    ];
  }

  /** Returns the lines below the list: the problem, the description of the entry, the hint. */
  #noteLines(): string[] {
    const { frame, hint } = this.#config;
    const { red, dim } = frame.paint;
    const width = frame.width() - 1;
    const { description } = this.#cursor().current ?? {};
    return [
      ...(this.#problem === undefined ? [] : linesWithin(this.#problem, width).map(red)),
      ...(description ? [dim(cutLine(`  ${description}`, frame))] : []),
      ...(hint && frame.height() >= minRoomyRows ? linesWithin(hint, width).slice(0, 2).map(dim) : []),
    ];
  }
}

/** Returns each line of the list with its part of the preview of the entry at the cursor. */
function withPreview(
  texts: readonly string[],
  current: Choice<unknown> | undefined,
  maxRows: number,
  frame: Frame,
): [string, string][] {
  const preview = frame.width() >= minPreviewColumns ? current?.preview?.() : undefined;
  if (!preview) return texts.map((text) => [cutLine(text, frame), '']);
  const left = Math.floor(frame.width() * 0.55);
  const count = Math.max(texts.length, Math.min(preview.length, maxRows));
  return Array.from({ length: count }, (_, index) => {
    const side = preview[index];
    const text = cutLine(texts[index] ?? '', frame, left - 3);
    if (side === undefined) return [text, ''];
    return [pad(text, left - 2), `| ${cutLine(cleanLine(side), frame, frame.width() - left - 3)}`];
  });
}
