/** The questions that boh can ask at the terminal. */
import { Failure } from '../../../base/errors.ts';
import { containsWords, foldText, foldWords } from '../../../base/fold-text.ts';
import { formatCount } from '../../../base/shown-items.ts';

export interface Question {
  message: string;
  /** A description of the expected answer and its format. */
  hint?: string | undefined;
  problem?: string | undefined;
  /** Whether there is a previous question: Esc, or ← at the start of the line, then throws `BackRequested`. */
  canGoBack?: boolean | undefined;
  /** Whether the question disappears from the screen when it is answered. */
  clearsWhenDone?: boolean | undefined;
  /** Whether a refused answer is removed instead of kept for editing. */
  clearsWhenRefused?: boolean | undefined;
  /** Ends the question without an answer: it then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface ConfirmQuestion extends Question {
  /** The answer of Enter alone. The default is false. */
  initial?: boolean | undefined;
}

export interface TextQuestion extends Question {
  /** The text to edit; Enter alone submits it unchanged. */
  initial?: string;
  /** Returns the problem with an answer, or undefined if it is accepted. */
  validate?: (answer: string) => string | undefined;
}

/** A question for a form field, answered with a line of text. */
export interface FieldQuestion extends TextQuestion {
  /** Returns the value of an answer as text, if it differs from the answer. It is displayed while the user types. */
  previewValue?: (answer: string) => string | undefined;
}

export interface Choice<Value> {
  value: Value;
  label: string;
  description?: string;
  /** Distinguishes entries with the same label. */
  key?: string;
  searchText?: string;
  /** Returns lines to show next to the list in a wide window. Each is cleaned. */
  preview?: () => readonly string[];
}

export interface ChoiceQuestion<Value> extends Question {
  choices: readonly Choice<Value>[];
  initial?: Value | undefined;
}

/** The entries of a list. The list may still be loading. */
export interface Entries<Value> {
  /** Returns the loaded entries that contain every word of the search text. It is called at each key and must be fast. */
  findMatches(searchText: string): readonly Choice<Value>[];
  /** Returns the number of matches, and whether more are loading, as text: "15 of 5,060". */
  status(searchText: string): string;
  /** Returns whether all entries are loaded. Moving down from the last entry then leads to the first. */
  isComplete(searchText: string): boolean;
  /** Loads entries until `count` of them match, or until all are loaded. Never rejects. */
  load(searchText: string, count: number): Promise<void>;
  /** Calls the listener after each change, with a failure if it ends the question. Returns a function that removes it. */
  onChange(listener: (failure?: unknown) => void): () => void;
}

/** A question answered with an entry of a list. Typing searches the list. */
export interface ListQuestion<Value> extends Question {
  entries: Entries<Value> | readonly Choice<Value>[];
  /** The text that the search starts with. */
  searchText?: string | undefined;
}

export interface PickQuestion<Value> extends ListQuestion<Value> {
  initial?: Value | undefined;
}

export interface PickSeveralQuestion<Value> extends ListQuestion<Value> {
  /** Whether at least one must be chosen. */
  required?: boolean;
  /** Whether Enter chooses the entry at the cursor if none was chosen. */
  enterChoosesCurrent?: boolean | undefined;
  chosen?: readonly Choice<Value>[];
}

/** A question answered with one text for each of several rows. */
export interface SheetQuestion extends Question {
  rows: readonly SheetRow[];
  header: string;
  /** Headers of the columns next to it, the most useful first. A narrow window omits the last columns. */
  columns: readonly string[];
  /** Returns the problem with a text in a row, or undefined if it is accepted. */
  validate(text: string, row: number): string | undefined;
  /** Whether the sheet can be sent with nothing filled in. */
  mayBeEmpty?: boolean | undefined;
  /** Called with the texts of all rows after each change. */
  onChange?(texts: readonly string[]): void;
}

export interface SheetRow {
  /** Distinguishes rows with the same label. */
  id: string;
  label: string;
  /** The values next to it, in the order of `columns`. */
  cells: readonly string[];
  initial: string;
  problem?: string | undefined;
}

/**
 * Asks questions on stderr and stdin. All texts may come from outside: the implementations clean what they show. Each
 * function throws `interrupted` after Ctrl-C or Ctrl-D, and `BackRequested` if the user goes back.
 */
export interface Prompts {
  confirm(question: ConfirmQuestion): Promise<boolean>;
  ask(question: TextQuestion): Promise<string>;
  /** Asks for the text of a field, and shows the parsed value while the user types. */
  askField(question: FieldQuestion): Promise<string>;
  /** Asks for a secret. The answer is hidden. */
  askHidden(question: Omit<TextQuestion, 'initial'>): Promise<string>;
  choose<Value>(question: ChoiceQuestion<Value>): Promise<Value>;
  pick<Value>(question: PickQuestion<Value>): Promise<Value>;
  /** Returns the values in the order in which they were chosen. */
  pickSeveral<Value>(question: PickSeveralQuestion<Value>): Promise<Value[]>;
  /** Returns the texts of the rows, in their order. */
  fillSheet(question: SheetQuestion): Promise<string[]>;
}

export function canceled(): Failure {
  return new Failure('interrupted', 'Canceled. Nothing was sent.');
}

/** Thrown when the user goes back to the previous question. */
export class BackRequested extends Error {
  /** The content of the question, if it has any: the text, the chosen values, or the texts of a sheet. */
  readonly draft: unknown;

  constructor(draft?: unknown) {
    super('The user went back to the previous question.');
    this.name = 'BackRequested';
    this.draft = draft;
  }
}

export function choiceKey({ key, label }: Choice<unknown>): string {
  return key ?? label;
}

export function entriesOf<Value>({ entries: choices }: ListQuestion<Value>): Entries<Value> {
  if ('findMatches' in choices) return choices;
  const foldedLabels = choices.map(({ label, searchText = '' }) => foldText(`${label} ${searchText}`));
  const findMatches = (searchText: string) => {
    const words = foldWords(searchText);
    const isExact = ({ label }: Choice<Value>) => Number(foldText(label) === foldText(searchText.trim()));
    return words.length === 0
      ? choices
      : choices
          .filter((_, index) => containsWords(foldedLabels[index] ?? '', words))
          .sort((a, b) => isExact(b) - isExact(a));
  };
  return {
    findMatches,
    status: (searchText) =>
      searchText === ''
        ? ''
        : `${formatCount(findMatches(searchText).length)} of ${formatCount(choices.length)}`,
    isComplete: () => true,
    load: async () => {},
    onChange: () => () => {},
  };
}
