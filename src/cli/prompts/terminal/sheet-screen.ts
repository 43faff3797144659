/** A sheet in which one text per row is filled in, like a spreadsheet column. Typing letters searches the names. */
import { isDownKey, isEnterKey, isTabKey, isUpKey, type KeypressEvent } from '@inquirer/core';
import { containsWords, foldText, foldWords } from '../../../base/fold-text.ts';
import { formatCount } from '../../../base/shown-items.ts';
import { displayWidth, pad, truncate } from '../../terminal/width.ts';
import type { Frame } from './frame.ts';
import type { SheetQuestion } from './questions.ts';
import { type Line, type Screen, setLine } from './run-prompt.ts';

/** Matches a text that searches for a row: numbers don't start with a letter. */
const searchPattern = /^\p{L}/u;

/** The texts of the rows, the row that is edited, and the row that is searched for. */
export class SheetScreen implements Screen<string[]> {
  answer: string[] | undefined;
  /** The question with clean texts. */
  readonly #question: SheetQuestion;
  readonly #frame: Frame;
  readonly #foldedLabels: readonly string[];
  readonly #widths: ColumnWidths;
  #texts: string[];
  /** The name that is searched for; '' while a row is edited. */
  #search = '';
  #visibleRows: readonly number[];
  #active: number;
  #top = 0;
  #problem: string | undefined;
  /** Whether the next typed text replaces the text of the row, as in a spreadsheet. */
  #replacesOnTyping = true;
  /** The rows of the last paste, those of them to be fixed, and the lines below the last row. */
  #paste = { rows: 0, invalid: 0, extra: 0 };
  /** Whether Ctrl-S was pressed with a text in the search. */
  #leavesSearch = false;

  constructor(question: SheetQuestion, frame: Frame) {
    const clean = (text: string) => frame.clean(text);
    frame.acceptsLines = true;
    const rows = question.rows.map((row) => ({
      ...row,
      label: clean(row.label),
      cells: row.cells.map(clean),
      initial: clean(row.initial),
    }));
    this.#question = {
      ...question,
      header: clean(question.header),
      columns: question.columns.map(clean),
      rows,
    };
    this.#frame = frame;
    this.#foldedLabels = rows.map(({ label }) => foldText(label));
    this.#widths = measureColumns(this.#question);
    this.#texts = rows.map(({ initial }) => initial);
    this.#visibleRows = rows.map((_, row) => row);
    this.#active = Math.max(
      0,
      rows.findIndex((row) => row.problem !== undefined),
    );
    this.#problem = [question.problem, rows[this.#active]?.problem].filter(Boolean).join(' ');
  }

  get initialText(): string {
    return this.#editedText;
  }

  draft(): string[] {
    return this.#texts;
  }

  get #editedText(): string {
    return this.#texts[this.#active] ?? '';
  }

  get #filledCount(): number {
    return this.#texts.filter((text) => text.trim() !== '').length;
  }

  press(key: KeypressEvent, line: Line): void {
    const before = this.#texts;
    if (key.name !== 'paste-end') this.#handle(key, line);
    const isSaved = this.#texts === before && key.name !== 'paste-end';
    if (!this.#frame.isPasting && !isSaved) this.#question.onChange?.(this.#texts);
  }

  #handle(key: KeypressEvent, line: Line): void {
    const { maxRows } = this.#layout();
    if (this.#frame.isPasting && isEnterKey(key)) {
      this.#pasteLine(line);
      return;
    }
    if (!this.#frame.isPasting) this.#paste = { rows: 0, invalid: 0, extra: 0 };
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
    setLine(line, this.#editedText);
    return true;
  }

  #type(line: Line): void {
    if (!this.#frame.isPasting) this.#problem = undefined;
    this.#leavesSearch = false;
    if (this.#paste.extra > 0) {
      setLine(line, this.#editedText);
      return;
    }
    const before = this.#editedText;
    if (this.#replacesOnTyping && line.line.length > before.length && line.line.startsWith(before))
      setLine(line, line.line.slice(before.length));
    this.#replacesOnTyping = false;
    // A pasted name is searched for, but a pasted column is text.
    const isName = searchPattern.test(line.line) && this.#paste.rows === 0;
    this.#searchFor(isName ? line.line : '');
    if (!isName) this.#texts = this.#texts.with(this.#active, line.line);
  }

  /** Ends a pasted line: it stays in its row, also if it can't be read, so that the other lines keep theirs. */
  #pasteLine(line: Line): void {
    const paste = this.#paste;
    if (paste.extra > 0) paste.extra++;
    else {
      const text = this.#search || this.#editedText;
      const row = this.#active;
      this.#searchFor('');
      this.#texts = this.#texts.with(row, text);
      paste.rows++;
      if (this.#question.validate(text, row) !== undefined) paste.invalid++;
      if (row === this.#texts.length - 1) paste.extra++;
      this.#goTo(Math.min(row + 1, this.#texts.length - 1), line);
    }
    const parts = [
      `${formatCount(paste.rows)} rows pasted`,
      paste.invalid > 0 && `${formatCount(paste.invalid)} of them to fix, in red`,
      paste.extra > 1 && `${formatCount(paste.extra - 1)} lines below the last row left out`,
    ];
    this.#problem = `${parts.filter(Boolean).join('; ')}.`;
  }

  #enter(line: Line): void {
    const { row } = this.#cursor();
    if (row === undefined) {
      this.#problem = 'No matching row.';
      setLine(line, this.#search);
    } else if (this.#search !== '') {
      this.#goTo(row, line);
    } else {
      const problem = this.#question.validate(this.#editedText, row);
      if (problem !== undefined) this.#goTo(row, line, problem);
      else if (row < this.#texts.length - 1) this.#goTo(row + 1, line);
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

  #goTo(row: number, line: Line, problem = this.#previousProblem(row)): void {
    this.#problem = problem;
    this.#searchFor('');
    this.#active = row;
    setLine(line, this.#editedText);
    this.#replacesOnTyping = true;
  }

  #searchFor(name: string): void {
    if (name === this.#search) return;
    this.#search = name;
    const { rows } = this.#question;
    const words = foldWords(name);
    this.#visibleRows = rows.flatMap(({ id }, row) =>
      words.length === 0 || containsWords(this.#foldedLabels[row] ?? '', words) || id === name.trim()
        ? [row]
        : [],
    );
  }

  #finish(line: Line): void {
    const { validate, mayBeEmpty } = this.#question;
    if (this.#search !== '' && !this.#leavesSearch) {
      this.#leavesSearch = true;
      this.#problem = `"${this.#search}" is a search, not the text of a row. Press Ctrl-S again to finish without it.`;
      return;
    }
    const invalidRow = this.#texts.findIndex((text, row) => validate(text, row) !== undefined);
    if (invalidRow !== -1) {
      this.#goTo(invalidRow, line, validate(this.#texts[invalidRow] ?? '', invalidRow));
    } else if (!mayBeEmpty && this.#filledCount === 0) {
      this.#goTo(this.#active, line, 'Nothing is filled in yet. Press Ctrl-C to cancel.');
    } else {
      this.answer = this.#texts;
    }
  }

  /** Returns the previous problem of a row until its text is changed. */
  #previousProblem(row: number): string | undefined {
    const { initial, problem } = this.#question.rows[row] ?? {};
    return this.#texts[row] === initial ? problem : undefined;
  }

  #cursor(): { index: number; row: number | undefined } {
    const index = Math.max(0, this.#visibleRows.indexOf(this.#active));
    return { index, row: this.#visibleRows[index] };
  }

  draw(): { content: string; below: string[] } {
    const { columns, header, rows } = this.#question;
    const frame = this.#frame;
    const { title, columnWidths, notes, tips, maxRows } = this.#layout();
    const { index } = this.#cursor();
    const top = Math.max(index - maxRows + 1, Math.min(this.#top, index));
    this.#top = Math.max(0, Math.min(top, this.#visibleRows.length - maxRows));
    const editedText =
      this.#search === ''
        ? `${rows[this.#active]?.label ?? ''}: ${this.#editedText}`
        : `Find: ${this.#search}`;
    const shownRows = this.#visibleRows.slice(this.#top, this.#top + maxRows);
    return {
      content: `${title.map(frame.paint.bold).join('\n')}\n  ${frame.cut(editedText, frame.width - 2)}`,
      below: [
        frame.paint.dim(this.#rowLine('', header, columns, columnWidths)),
        ...shownRows.map((row) => this.#drawRow(row, columnWidths)),
        ...notes,
        ...tips,
      ],
    };
  }

  drawAnswer(): string {
    const { symbols, paint } = this.#frame;
    const count = paint.cyan(`${this.#filledCount} of ${this.#texts.length}`);
    return `${symbols.done} ${this.#frame.clean(this.#question.message)} ${count}`;
  }

  #drawRow(row: number, widths: ColumnWidths): string {
    const { rows, validate } = this.#question;
    const { cyan, red } = this.#frame.paint;
    const { label = '', cells = [] } = rows[row] ?? {};
    const text = this.#texts[row] ?? '';
    const isCurrent = row === this.#cursor().row;
    const line = this.#rowLine(label, text === '' ? '_' : text, cells, widths, isCurrent);
    if (isCurrent) return cyan(line);
    const isInvalid = text !== '' && (this.#previousProblem(row) ?? validate(text, row)) !== undefined;
    return isInvalid ? red(line) : line;
  }

  #rowLine(
    label: string,
    text: string,
    cells: readonly string[],
    widths: ColumnWidths,
    isCurrent = false,
  ): string {
    const { cursor, ellipsis } = this.#frame.symbols;
    const cell = (value: string, width: number) => pad(truncate(value, width, ellipsis), width);
    const parts = [
      `${isCurrent ? cursor : ' '} ${cell(label, widths.label)}`,
      cell(text, widths.text),
      ...widths.cells.map((width, index) => pad(cells[index] ?? '', width)),
    ];
    return this.#frame.cut(parts.join(' '.repeat(columnGap))).trimEnd();
  }

  /** Returns the lines around the rows, and the number of rows that fit between them. */
  #layout() {
    const { message, columns, hint, rows } = this.#question;
    const frame = this.#frame;
    const { dim, red } = frame.paint;
    const columnWidths = fittingWidths(this.#widths, frame.width);
    const { cells = [] } = rows[this.#cursor().row ?? this.#active] ?? {};
    const hiddenCells = cells.flatMap((cell, index) =>
      index < columnWidths.cells.length || cell === '' ? [] : `${columns[index]} ${cell}`,
    );
    const notes = [
      ...(hiddenCells.length === 0 ? [] : [dim(frame.cut(`  ${hiddenCells.join(frame.symbols.separator)}`))]),
      ...frame.wrap(this.#problem).map(red),
      ...(frame.isRoomy ? frame.wrap(hint).slice(0, 2).map(dim) : []),
    ];
    const tips = frame.tips(this.#tipTexts());
    const title = frame.wrap(`${frame.symbols.question} ${message}`);
    const maxRows = Math.max(1, frame.height - notes.length - title.length - tips.length - 3);
    return { title, columnWidths, notes, tips, maxRows };
  }

  #tipTexts(): (string | false)[] {
    const ofTotal = `of ${formatCount(this.#texts.length)}`;
    return this.#search === ''
      ? [
          `${formatCount(this.#filledCount)} ${ofTotal} filled in`,
          'Ctrl-S to finish',
          'type a name to find its row',
          this.#frame.canGoBack ? 'Esc to go back' : 'Ctrl-C to cancel',
        ]
      : [`${formatCount(this.#visibleRows.length)} ${ofTotal}`, 'Enter to go to the row', 'Esc to go back'];
  }
}

/** The width of each part of a row: the name, the text to fill in, and the cells next to it. */
interface ColumnWidths {
  label: number;
  text: number;
  cells: readonly number[];
}

/** The minimum width of the text: enough for a number with its unit. */
const minTextColumns = 10;
const minLabelColumns = 12;
const columnGap = 2;

/** Measures the columns. Call it only once: a sheet can have thousands of rows. */
function measureColumns({ rows, columns, header }: SheetQuestion): ColumnWidths {
  const maxWidth = (texts: readonly string[]) =>
    texts.reduce((width, text) => Math.max(width, displayWidth(text)), 0);
  return {
    label: maxWidth(rows.map(({ label }) => label)),
    text: Math.max(minTextColumns, displayWidth(header)),
    cells: columns.map((column, index) => maxWidth([column, ...rows.map(({ cells }) => cells[index] ?? '')])),
  };
}

/** Returns the widths that fit in a line. In a narrow window the name is cut first, then the last cells are omitted. */
function fittingWidths({ label: labelWidth, text, cells }: ColumnWidths, width: number): ColumnWidths {
  const availableWidth = width - 2 - columnGap - text;
  const cellsWidth = cells.reduce((sum, cellWidth) => sum + cellWidth + columnGap, 0);
  const label = Math.min(
    labelWidth,
    Math.max(minLabelColumns, Math.floor(availableWidth * 0.6), availableWidth - cellsWidth),
  );
  let remainingWidth = availableWidth - label;
  const firstHidden = cells.findIndex((cellWidth) => {
    remainingWidth -= cellWidth + columnGap;
    return remainingWidth < 0;
  });
  return { label, text, cells: firstHidden === -1 ? cells : cells.slice(0, firstHidden) };
}
