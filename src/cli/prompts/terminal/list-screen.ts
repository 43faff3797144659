/** A list of which one or several entries are chosen. Typing searches the list, which may still be loading. */
import { isDownKey, isEnterKey, isSpaceKey, isTabKey, isUpKey, type KeypressEvent } from '@inquirer/core';
import { formatCount } from '../../../base/shown-items.ts';
import { displayWidth, pad } from '../../terminal/width.ts';
import type { Frame } from './frame.ts';
import {
  type Choice,
  choiceKey,
  type Entries,
  entriesOf,
  type PickQuestion,
  type PickSeveralQuestion,
} from './questions.ts';
import { type Line, type Screen, setLine } from './run-prompt.ts';

/** The minimum width of the window for a preview next to the list. */
const minPreviewColumns = 100;

/** The maximum number of lines with the names of the chosen entries. */
const maxChosenLines = 4;

const loadingText = 'Still loading. No matches yet.';

/** The state of the question: the search text, the chosen entries and the cursor. */
export class ListScreen<Value> implements Screen<readonly Choice<Value>[]> {
  readonly initialText: string;
  answer: readonly Choice<Value>[] | undefined;
  readonly #question: PickQuestion<Value> & PickSeveralQuestion<Value>;
  readonly #frame: Frame;
  /** Whether Tab chooses several entries, as Space does without a search text. Otherwise Enter chooses one. */
  readonly #isSeveral: boolean;
  readonly #entries: Entries<Value>;
  readonly #checkedChoices: Map<string, Choice<Value>>;
  #searchText: string;
  #problem: string | undefined;
  #active: number;
  #top = 0;
  #hasToggled = false;
  /** Whether the next typed text starts a new search, because an entry was checked since the last search. */
  #startsNewSearch = false;
  /** The search text and number of entries that were requested last. */
  #requested = '';

  constructor(
    question: PickQuestion<Value> & PickSeveralQuestion<Value>,
    frame: Frame,
    { isSeveral }: { isSeveral: boolean },
  ) {
    const { initial, searchText = '', problem, chosen } = question;
    this.#question = question;
    this.#frame = frame;
    this.#isSeveral = isSeveral;
    this.#entries = entriesOf(question);
    this.#checkedChoices = new Map(chosen?.map((choice) => [choiceKey(choice), choice]));
    this.initialText = frame.clean(searchText);
    this.#searchText = this.initialText;
    this.#problem = problem;
    const isInitial = ({ value }: Choice<Value>) => value === initial;
    this.#active =
      initial === undefined ? 0 : Math.max(0, this.#entries.findMatches('').findIndex(isInitial));
  }

  watch(redraw: () => void, fail: (reason: unknown) => void): () => void {
    return this.#entries.onChange((failure) => (failure === undefined ? redraw() : fail(failure)));
  }

  draft(): Value[] {
    return [...this.#checkedChoices.values()].map(({ value }) => value);
  }

  press(key: KeypressEvent, line: Line): void {
    const page = Math.max(1, this.#layout().maxRows - 1);
    const pages: Record<string, number> = { pagedown: page, pageup: -page };
    const step = isUpKey(key) ? -1 : isDownKey(key) ? 1 : pages[key.name];
    if (isEnterKey(key)) this.#enter(line);
    else if (this.#isSeveral && (isTabKey(key) || (isSpaceKey(key) && this.#searchText === '')))
      this.#toggle(line);
    else if (isTabKey(key)) setLine(line, this.#searchText);
    else if (step !== undefined) this.#move(step, line);
    else if (line.line !== this.#searchText) this.#search(line);
  }

  #enter(line: Line): void {
    const isSeveral = this.#isSeveral;
    const { enterChoosesCurrent, required } = this.#question;
    if (this.#searchText !== '') line.write(this.#searchText);
    // "None of several" can be chosen before the list has loaded.
    if (this.#isLoading() && !(isSeveral && this.#searchText === '')) {
      this.#problem = loadingText;
      return;
    }
    const { current } = this.#cursor();
    if (!isSeveral || (enterChoosesCurrent && this.#checkedChoices.size === 0 && current)) {
      if (current) this.answer = [current];
    } else if (required && this.#checkedChoices.size === 0) {
      this.#problem = 'Choose at least one: press Tab.';
    } else if (this.#searchText !== '' && current && !this.#hasToggled && this.#problem === undefined) {
      // A user who searched and chose nothing may expect that Enter chooses the entry.
      this.#problem = `Press Tab to choose "${current.label}", or Enter again to continue without it.`;
    } else {
      this.answer = [...this.#checkedChoices.values()];
    }
  }

  #toggle(line: Line): void {
    setLine(line, this.#searchText);
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
    const { matches, index } = this.#cursor();
    // readline may have replaced the line with one from its history.
    if (line.line !== this.#searchText) setLine(line, this.#searchText);
    this.#problem = undefined;
    const lastIndex = Math.max(0, matches.length - 1);
    const nextIndex = index + step;
    if (nextIndex >= matches.length)
      void this.#entries.load(this.#searchText, matches.length + this.#layout().maxRows);
    const wraps = Math.abs(step) === 1 && this.#entries.isComplete(this.#searchText);
    if (nextIndex < 0) this.#active = wraps ? lastIndex : 0;
    else if (nextIndex > lastIndex) this.#active = wraps ? 0 : lastIndex;
    else this.#active = nextIndex;
  }

  #search(line: Line): void {
    const added = line.line.slice(this.#searchText.length);
    if (line.line.startsWith(this.#searchText) && added.trim() === '') {
      // A space doesn't change the matches.
      this.#searchText = line.line;
      return;
    }
    if (this.#startsNewSearch && line.line.startsWith(this.#searchText)) setLine(line, added);
    this.#startsNewSearch = false;
    this.#searchText = line.line;
    this.#active = 0;
    this.#problem = undefined;
  }

  /** Returns whether the list is still loading and has no match yet. */
  #isLoading(): boolean {
    return !this.#cursor().current && !this.#entries.isComplete(this.#searchText);
  }

  #cursor(): { matches: readonly Choice<Value>[]; index: number; current: Choice<Value> | undefined } {
    const matches = this.#entries.findMatches(this.#searchText);
    const index = Math.min(this.#active, Math.max(0, matches.length - 1));
    return { matches, index, current: matches[index] };
  }

  draw(): { content: string; below: string[] } {
    const { matches, index: cursorIndex, current } = this.#cursor();
    const { content, notes, tips, maxRows } = this.#layout();
    const top = Math.max(cursorIndex - maxRows + 1, Math.min(this.#top, cursorIndex));
    this.#top = Math.max(0, Math.min(top, matches.length - maxRows));
    const { cyan, dim } = this.#frame.paint;
    const rows = matches
      .slice(this.#top, this.#top + maxRows)
      .map((choice, index) => this.#rowText(choice, this.#top + index === cursorIndex));
    const lines = this.#withPreview(rows, current, maxRows).map(([text, previewLine], index) => {
      const isActive = index < rows.length && this.#top + index === cursorIndex;
      return (isActive ? cyan(text) : text) + dim(previewLine);
    });
    return { content, below: [...lines, ...notes, ...tips] };
  }

  /** Loads the entries that fit below the cursor. */
  afterDraw(): void {
    const count = this.#cursor().index + this.#layout().maxRows;
    if (this.#requested === `${count} ${this.#searchText}`) return;
    this.#requested = `${count} ${this.#searchText}`;
    void this.#entries.load(this.#searchText, count);
  }

  drawAnswer(): string {
    const labels = (this.answer ?? []).map(({ label }) => label);
    return this.#frame.answered(this.#question.message, labels.join(', '));
  }

  #rowText(choice: Choice<Value>, isActive: boolean): string {
    const { checked, unchecked, cursor } = this.#frame.symbols;
    const checkbox = this.#checkedChoices.has(choiceKey(choice)) ? checked : unchecked;
    return `${isActive ? cursor : ' '} ${this.#isSeveral ? `${checkbox} ` : ''}${choice.label}`;
  }

  /** Returns each line of the list with its part of the preview of the entry at the cursor. */
  #withPreview(
    texts: readonly string[],
    current: Choice<Value> | undefined,
    maxRows: number,
  ): [string, string][] {
    const frame = this.#frame;
    const columns = frame.width + 1;
    const preview = columns >= minPreviewColumns ? current?.preview?.() : undefined;
    if (!preview) return texts.map((text) => [frame.cut(text), '']);
    const listColumns = Math.floor(columns * 0.55);
    const count = Math.max(texts.length, Math.min(preview.length, maxRows));
    return Array.from({ length: count }, (_, index) => {
      const previewLine = preview[index];
      const text = frame.cut(texts[index] ?? '', listColumns - 3);
      if (previewLine === undefined) return [text, ''];
      return [pad(text, listColumns - 2), `| ${frame.cut(previewLine, columns - listColumns - 3)}`];
    });
  }

  /** Returns the lines around the list, and the number of rows that remain for it. */
  #layout(): { content: string; notes: string[]; tips: string[]; maxRows: number } {
    const frame = this.#frame;
    const content = frame.heading(this.#question.message, this.#searchText);
    const notes = this.#noteLines();
    const tips = frame.tips(this.#tipTexts());
    const usedLines = content.split('\n').length + notes.length + tips.length + 1;
    return { content, notes, tips, maxRows: Math.max(3, frame.height - usedLines) };
  }

  #tipTexts(): (string | false)[] {
    const isSeveral = this.#isSeveral;
    const enterTip =
      this.#question.enterChoosesCurrent && this.#checkedChoices.size === 0
        ? 'Enter to choose this one'
        : 'Enter to finish';
    return [
      isSeveral && this.#checkedChoices.size === 0 && '0 chosen',
      this.#entries.status(this.#searchText),
      this.#searchText === '' && 'type to search',
      isSeveral ? `${this.#searchText === '' ? 'Space' : 'Tab'} to choose` : 'Enter to choose',
      isSeveral && enterTip,
      this.#frame.canGoBack ? 'Esc to go back' : 'Ctrl-C to cancel',
    ];
  }

  /** Returns the lines below the list: the chosen entries, the problem, the description of the entry, the hint. */
  #noteLines(): string[] {
    const frame = this.#frame;
    const { red, dim, cyan } = frame.paint;
    const { description } = this.#cursor().current ?? {};
    return [
      ...this.#chosenLines().map(cyan),
      ...frame.wrap(this.#problem).map(red),
      ...(description ? [dim(frame.cut(`  ${description}`))] : []),
      ...(frame.isRoomy ? frame.wrap(this.#question.hint).slice(0, 2).map(dim) : []),
    ];
  }

  /** Returns lines with the names of the chosen entries. If not all fit, those chosen last are named. */
  #chosenLines(): string[] {
    const names = [...this.#checkedChoices.values()].map(({ label }) => label);
    if (names.length === 0) return [];
    const frame = this.#frame;
    const maxWidth = frame.width * (frame.isRoomy ? maxChosenLines : 1) - 40;
    let width = 0;
    const shown = names.toReversed().filter((name, index) => {
      width += displayWidth(name) + 2;
      return index === 0 || width <= maxWidth;
    });
    const others = names.length - shown.length;
    const text = [...(others > 0 ? [`${formatCount(others)} others`] : []), ...shown.toReversed()].join(', ');
    return frame.wrap(`${formatCount(names.length)} chosen: ${text}`).slice(0, maxChosenLines);
  }
}
