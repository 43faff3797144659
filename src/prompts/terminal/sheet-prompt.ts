/** A prompt that fills in one text per row, like a spreadsheet column. Typing letters searches the names. */
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  type KeypressEvent,
  useEffect,
  useState,
} from '@inquirer/core';
import { containsWords, foldText, foldWords } from '../../base/fold-text.ts';
import { formatCount } from '../../terminal/format-count.ts';
import {
  backResult,
  cutLine,
  type Frame,
  type Line,
  linesWithin,
  setLine,
  tipLines,
  useKeys,
  useWindow,
} from './prompt-frame.ts';
import type { SheetQuestion } from './questions.ts';
import { hiddenCells, measureColumns, rowLine, type SheetLayout } from './sheet-layout.ts';

/** A sheet's question, and the window to draw it in. */
export interface SheetConfig extends SheetQuestion {
  frame: Frame;
}

/** Matches a text that searches for a row: numbers don't start with a letter. */
const searchPattern = /^\p{L}/u;

/** The minimum height of the window for the hint and a second line of tips. */
const minRoomyRows = 13;

/** Asks for the texts of a sheet. */
export const sheetPrompt = createPrompt<string[] | typeof backResult, SheetConfig>((config, done) => {
  const { frame, message } = config;
  const [sheet] = useState(() => new FilledSheet(config));
  const [, setVersion] = useState(0);
  const redraw = () => setVersion((version) => version + 1);

  useEffect((rl) => {
    if (sheet.editedText !== '') rl.write(sheet.editedText);
    return () => {
      if (!sheet.answer) config.onLeave?.(sheet.texts);
    };
  }, []);

  const goBack = () => {
    sheet.isOpen = false;
    redraw();
    done(backResult);
  };
  const press = (key: KeypressEvent, line: Line) => {
    if (!sheet.isOpen) return;
    sheet.press(key, line);
    redraw();
    if (sheet.answer) done(sheet.answer);
  };
  useKeys(frame, goBack, press, (line) => {
    if (!sheet.endSearch(line)) return false;
    redraw();
    return true;
  });

  const { content, below } = sheet.draw();
  const lines = content.split('\n');
  useWindow(frame, { above: lines.length - 1, below: below.length, column: (lines.at(-1) ?? '').length });
  if (!sheet.isOpen && frame.clearsWhenDone) return '';
  if (sheet.answer)
    return `${frame.symbols.done} ${message} ${frame.paint.cyan(`${sheet.filledCount} of ${config.rows.length}`)}`;
  return [content, below.join('\n')];
});

/** The texts of the rows, the row that is edited, and the row that is searched for. */
class FilledSheet {
  readonly #config: SheetConfig;
  readonly #foldedLabels: readonly string[];
  readonly #columns: ReturnType<typeof measureColumns>;
  /** Whether the question is still unanswered. */
  isOpen = true;
  answer: string[] | undefined;
  texts: string[];
  /** The name that is searched for; '' while a row is edited. */
  #search = '';
  #visibleRows: readonly number[];
  #active: number;
  #top = 0;
  #problem: string | undefined;
  /** Whether the next typed text replaces the text of the row, as in a spreadsheet. */
  #replacesOnTyping = true;

  constructor(config: SheetConfig) {
    const { rows, problem } = config;
    this.#config = config;
    this.#foldedLabels = rows.map(({ label }) => foldText(label));
    this.#columns = measureColumns(config);
    this.texts = rows.map(({ initial }) => initial);
    this.#visibleRows = rows.map((_, row) => row);
    this.#active = Math.max(
      0,
      rows.findIndex((row) => row.problem !== undefined),
    );
    this.#problem = [problem, rows[this.#active]?.problem].filter(Boolean).join(' ') || undefined;
  }

  /** The text of the row that is edited. */
  get editedText(): string {
    return this.texts[this.#active] ?? '';
  }

  get filledCount(): number {
    return this.texts.filter((text) => text.trim() !== '').length;
  }

  press(key: KeypressEvent, line: Line): void {
    const { maxRows } = this.#layout();
    if (key.ctrl && key.name === 's') this.#finish(line);
    else if (isUpKey(key)) this.#move(-1, line);
    else if (isDownKey(key) || isTabKey(key)) this.#move(1, line);
    else if (key.name === 'pagedown') this.#move(maxRows, line);
    else if (key.name === 'pageup') this.#move(-maxRows, line);
    else if (isEnterKey(key)) this.#enter(line);
    else this.#type(line);
  }

  /** Ends a search after Esc. Returns whether there was one. */
  endSearch(line: Line): boolean {
    if (this.#search === '') return false;
    this.#searchFor('');
    setLine(line, this.editedText);
    return true;
  }

  #type(line: Line): void {
    this.#problem = undefined;
    const before = this.editedText;
    if (this.#replacesOnTyping && line.line.length > before.length && line.line.startsWith(before))
      setLine(line, line.line.slice(before.length));
    this.#replacesOnTyping = false;
    const isName = searchPattern.test(line.line);
    this.#searchFor(isName ? line.line : '');
    if (!isName) this.texts = this.texts.with(this.#active, line.line);
  }

  #enter(line: Line): void {
    const { row } = this.#cursor();
    if (row === undefined) {
      this.#problem = 'No matching row.';
      setLine(line, this.#search);
    } else if (this.#search !== '') {
      this.#goTo(row, line);
    } else {
      const problem = this.#config.validate(this.editedText, row);
      if (problem !== undefined) this.#goTo(row, line, problem);
      else if (row < this.texts.length - 1) this.#goTo(row + 1, line);
      else this.#finish(line);
    }
  }

  #move(step: number, line: Line): void {
    const next =
      this.#visibleRows[Math.max(0, Math.min(this.#visibleRows.length - 1, this.#cursor().index + step))];
    if (this.#search === '') {
      if (next !== undefined) this.#goTo(next, line);
      return;
    }
    setLine(line, this.#search);
    if (next !== undefined) this.#active = next;
  }

  /** Edits another row. */
  #goTo(row: number, line: Line, problem = this.#previousProblem(row)): void {
    this.#problem = problem;
    this.#searchFor('');
    this.#active = row;
    setLine(line, this.editedText);
    this.#replacesOnTyping = true;
  }

  #searchFor(name: string): void {
    if (name === this.#search) return;
    this.#search = name;
    const { rows } = this.#config;
    const words = foldWords(name);
    this.#visibleRows = rows.flatMap(({ id }, row) =>
      words.length === 0 || containsWords(this.#foldedLabels[row] ?? '', words) || id === name.trim()
        ? [row]
        : [],
    );
  }

  #finish(line: Line): void {
    const { validate, mayBeEmpty } = this.#config;
    const invalidRow = this.texts.findIndex((text, row) => validate(text, row) !== undefined);
    if (invalidRow !== -1) {
      this.#goTo(invalidRow, line, validate(this.texts[invalidRow] ?? '', invalidRow));
    } else if (!mayBeEmpty && this.filledCount === 0) {
      this.#goTo(this.#active, line, 'Nothing is filled in yet. Press Ctrl-C to cancel.');
    } else {
      this.answer = this.texts;
      this.isOpen = false;
    }
  }

  /** Returns the previous problem of a row until its text is changed. */
  #previousProblem(row: number): string | undefined {
    const { initial, problem } = this.#config.rows[row] ?? {};
    return this.texts[row] === initial ? problem : undefined;
  }

  #cursor(): { index: number; row: number | undefined } {
    const index = Math.max(0, this.#visibleRows.indexOf(this.#active));
    return { index, row: this.#visibleRows[index] };
  }

  draw(): { content: string; below: string[] } {
    const { frame, columns, header, rows } = this.#config;
    const { bold, dim } = frame.paint;
    const { title, columnLayout, notes, tips, maxRows } = this.#layout();
    const { index } = this.#cursor();
    const top = Math.max(index - maxRows + 1, Math.min(this.#top, index));
    this.#top = Math.max(0, Math.min(top, this.#visibleRows.length - maxRows));
    const editedText =
      this.#search === ''
        ? `${rows[this.#active]?.label ?? ''}: ${this.editedText}`
        : `Find: ${this.#search}`;
    return {
      content: `${title.map(bold).join('\n')}\n  ${cutLine(editedText, frame, columnLayout.width - 2)}`,
      below: [
        dim(rowLine({ label: '', cells: columns }, header, false, columnLayout)),
        ...this.#visibleRows
          .slice(this.#top, this.#top + maxRows)
          .map((row) => this.#rowText(row, columnLayout)),
        ...notes,
        ...tips,
      ],
    };
  }

  #rowText(row: number, layout: SheetLayout): string {
    const { frame, rows, validate } = this.#config;
    const text = this.texts[row] ?? '';
    const isCurrent = row === this.#cursor().row;
    const line = rowLine(rows[row], text, isCurrent, layout);
    if (isCurrent) return frame.paint.cyan(line);
    const isInvalid = text !== '' && (this.#previousProblem(row) ?? validate(text, row)) !== undefined;
    return isInvalid ? frame.paint.red(line) : line;
  }

  /** Returns the lines around the rows, and the number of rows that fit between them. */
  #layout() {
    const { frame, message, columns, hint, rows } = this.#config;
    const { dim, red } = frame.paint;
    const width = frame.width() - 1;
    const isRoomy = frame.height() >= minRoomyRows;
    const columnLayout: SheetLayout = { ...this.#columns, width, marks: frame.symbols };
    const row = rows[this.#cursor().row ?? this.#active];
    const hiddenText = hiddenCells(row, columns, columnLayout).join(frame.symbols.separator);
    const notes = [
      ...(hiddenText === '' ? [] : [dim(cutLine(`  ${hiddenText}`, frame))]),
      ...(this.#problem === undefined ? [] : linesWithin(this.#problem, width).map(red)),
      ...(hint && isRoomy ? linesWithin(hint, width).slice(0, 2).map(dim) : []),
    ];
    const tips = tipLines(frame, this.#tipTexts(), isRoomy ? 2 : 1);
    const title = linesWithin(`${frame.symbols.question} ${message}`, width);
    const maxRows = Math.max(1, frame.height() - notes.length - title.length - tips.length - 3);
    return { title, columnLayout, notes, tips, maxRows };
  }

  #tipTexts(): (string | false)[] {
    const { frame, rows } = this.#config;
    const ofTotal = `of ${formatCount(rows.length)}`;
    return this.#search === ''
      ? [
          `${formatCount(this.filledCount)} ${ofTotal} filled in`,
          'Ctrl-S to finish',
          'type a name to find its row',
          frame.canGoBack && 'Esc to go back',
        ]
      : [`${formatCount(this.#visibleRows.length)} ${ofTotal}`, 'Enter to go to the row', 'Esc to go back'];
  }
}
