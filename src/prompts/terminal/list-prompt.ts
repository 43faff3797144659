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
import { type Choice, choiceKey, type PickQuestion, type PickSeveralQuestion } from './questions.ts';

/** A list's question, and the window to draw it in. */
export interface ListConfig<Value> extends PickQuestion<Value> {
  frame: Frame;
  /** Options for choosing several entries; undefined if Enter chooses one. */
  multiSelect?:
    | (Pick<PickSeveralQuestion<Value>, 'onBack' | 'enterChoosesCurrent'> & {
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
    if (config.searchText) rl.write(config.searchText);
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

  const { content, below, desiredCount } = list.draw();
  useEffect(() => {
    void entries.load(list.searchText, desiredCount);
  }, [list.searchText, desiredCount]);
  const lines = content.split('\n');
  useWindow(frame, { above: lines.length - 1, below: below.length, column: (lines.at(-1) ?? '').length });

  if (!list.isOpen && frame.clearsWhenDone) return '';
  if (list.answer)
    return answeredLine(frame, config.message, list.answer.map(({ label }) => label).join(', '));
  return [content, below.join('\n')];
});

/** The state of the prompt: the search text, the chosen entries and the cursor. */
class SearchedList {
  readonly #config: ListConfig<unknown>;
  readonly #checkedChoices: Map<string, Choice<unknown>>;
  /** Whether the question is still unanswered. */
  isOpen = true;
  answer: readonly Choice<unknown>[] | undefined;
  searchText: string;
  #problem: string | undefined;
  #active: number;
  #top = 0;
  #hasToggled = false;
  /** Whether the next typed text starts a new search, because an entry was checked since the last search. */
  #startsNewSearch = false;

  constructor(config: ListConfig<unknown>) {
    const { entries, initial, searchText = '', problem, multiSelect } = config;
    this.#config = config;
    this.#checkedChoices = new Map(multiSelect?.chosen.map((choice) => [choiceKey(choice), choice]));
    this.searchText = searchText;
    this.#problem = problem;
    const isInitial = ({ value }: Choice<unknown>) => value === initial;
    this.#active = initial === undefined ? 0 : Math.max(0, entries.findMatches('').findIndex(isInitial));
  }

  goBack(): void {
    this.#config.multiSelect?.onBack?.([...this.#checkedChoices.values()].map(({ value }) => value));
    this.isOpen = false;
  }

  press(key: KeypressEvent, line: Line): void {
    const page = Math.max(1, this.#layout().maxRows - 1);
    const pages: Record<string, number> = { pagedown: page, pageup: -page };
    const step = isUpKey(key) ? -1 : isDownKey(key) ? 1 : pages[key.name];
    if (isEnterKey(key)) this.#enter(line);
    else if (isTabKey(key)) setLine(line, this.searchText);
    else if (step !== undefined) this.#move(step, line);
    else if (this.#config.multiSelect && isSpaceKey(key)) this.#toggle(line);
    else if (line.line !== this.searchText) this.#search(line);
  }

  #enter(line: Line): void {
    const { multiSelect } = this.#config;
    if (this.searchText !== '') line.write(this.searchText);
    // "None of several" can be chosen before the list has loaded.
    if (this.#isLoading() && !(multiSelect && this.searchText === '')) {
      this.#problem = loadingText;
      return;
    }
    const { current } = this.#cursor();
    if (!multiSelect || (multiSelect.enterChoosesCurrent && this.#checkedChoices.size === 0 && current)) {
      if (current) this.#finish([current]);
    } else if (multiSelect.required && this.#checkedChoices.size === 0) {
      this.#problem = 'Choose at least one: press Space.';
    } else if (this.searchText !== '' && current && !this.#hasToggled && this.#problem === undefined) {
      // A user who searched and chose nothing may expect that Enter chooses the entry.
      this.#problem = `Press Space to choose "${current.label}", or Enter again to continue without it.`;
    } else {
      this.#finish([...this.#checkedChoices.values()]);
    }
  }

  #finish(chosen: readonly Choice<unknown>[]): void {
    this.answer = chosen;
    this.isOpen = false;
  }

  #toggle(line: Line): void {
    setLine(line, this.searchText);
    const { current } = this.#cursor();
    if (!current) {
      if (this.#isLoading()) this.#problem = loadingText;
      return;
    }
    if (!this.#checkedChoices.delete(choiceKey(current)))
      this.#checkedChoices.set(choiceKey(current), current);
    this.#hasToggled = true;
    this.#startsNewSearch = true;
    this.#problem = undefined;
  }

  #move(step: number, line: Line): void {
    const { entries } = this.#config;
    const { matches, index } = this.#cursor();
    // readline may have replaced the line with one from its history.
    if (line.line !== this.searchText) setLine(line, this.searchText);
    this.#problem = undefined;
    const lastIndex = Math.max(0, matches.length - 1);
    const nextIndex = index + step;
    if (nextIndex >= matches.length)
      void entries.load(this.searchText, matches.length + this.#layout().maxRows);
    const wraps = Math.abs(step) === 1 && entries.isComplete(this.searchText);
    if (nextIndex < 0) this.#active = wraps ? lastIndex : 0;
    else if (nextIndex > lastIndex) this.#active = wraps ? 0 : lastIndex;
    else this.#active = nextIndex;
  }

  #search(line: Line): void {
    if (this.#startsNewSearch && line.line.startsWith(this.searchText))
      setLine(line, line.line.slice(this.searchText.length));
    this.#startsNewSearch = false;
    this.searchText = line.line;
    this.#active = 0;
    this.#problem = undefined;
  }

  /** Returns whether the list is still loading and has no match yet. */
  #isLoading(): boolean {
    return !this.#cursor().current && !this.#config.entries.isComplete(this.searchText);
  }

  #cursor(): { matches: readonly Choice<unknown>[]; index: number; current: Choice<unknown> | undefined } {
    const matches = this.#config.entries.findMatches(this.searchText);
    const index = Math.min(this.#active, Math.max(0, matches.length - 1));
    return { matches, index, current: matches[index] };
  }

  draw(): { content: string; below: string[]; desiredCount: number } {
    const { frame } = this.#config;
    const { matches, index: cursorIndex, current } = this.#cursor();
    const { content, notes, tips, maxRows } = this.#layout();
    const top = Math.max(cursorIndex - maxRows + 1, Math.min(this.#top, cursorIndex));
    this.#top = Math.max(0, Math.min(top, matches.length - maxRows));
    const rows = matches
      .slice(this.#top, this.#top + maxRows)
      .map((choice, index) => this.#rowText(choice, index));
    const activeRow = cursorIndex - this.#top;
    const lines = withPreview(rows, current, maxRows, frame).map(
      ([text, previewLine], index) =>
        (index === activeRow && index < rows.length ? frame.paint.cyan(text) : text) +
        frame.paint.dim(previewLine),
    );
    return { content, below: [...lines, ...notes, ...tips], desiredCount: cursorIndex + maxRows };
  }

  #rowText(choice: Choice<unknown>, index: number): string {
    const { frame, multiSelect } = this.#config;
    const { checked: checkedSymbol, unchecked: uncheckedSymbol, cursor } = frame.symbols;
    const checkbox = multiSelect
      ? `${this.#checkedChoices.has(choiceKey(choice)) ? checkedSymbol : uncheckedSymbol} `
      : '';
    return `${this.#top + index === this.#cursor().index ? cursor : ' '} ${checkbox}${choice.label}`;
  }

  /** Returns the lines around the list, and the number of rows that remain for it. */
  #layout(): { content: string; notes: string[]; tips: string[]; maxRows: number } {
    const { frame, message } = this.#config;
    const content = heading(frame, message, this.searchText);
    const notes = this.#noteLines();
    const tips = tipLines(frame, this.#tipTexts(), frame.height() >= minRoomyRows ? 2 : 1);
    const usedLines = content.split('\n').length + notes.length + tips.length + 1;
    return { content, notes, tips, maxRows: Math.max(3, frame.height() - usedLines) };
  }

  #tipTexts(): (string | false)[] {
    const { frame, entries, multiSelect } = this.#config;
    const enterTip =
      multiSelect?.enterChoosesCurrent && this.#checkedChoices.size === 0
        ? 'Enter to choose this one'
        : 'Enter to finish';
    return [
      multiSelect ? `${this.#checkedChoices.size} chosen` : '',
      entries.status(this.searchText),
      this.searchText === '' && 'type to search',
      multiSelect ? 'Space to choose' : 'Enter to choose',
      multiSelect ? enterTip : '',
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
  const listColumns = Math.floor(frame.width() * 0.55);
  const count = Math.max(texts.length, Math.min(preview.length, maxRows));
  return Array.from({ length: count }, (_, index) => {
    const previewLine = preview[index];
    const text = cutLine(texts[index] ?? '', frame, listColumns - 3);
    if (previewLine === undefined) return [text, ''];
    return [
      pad(text, listColumns - 2),
      `| ${cutLine(cleanLine(previewLine), frame, frame.width() - listColumns - 3)}`,
    ];
  });
}
