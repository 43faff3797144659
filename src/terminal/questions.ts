/** The kinds of question that can be put to the person at the terminal. */
import { Failure } from '../errors.ts';

export interface Question {
  message: string;
  /** What goes here and in which form, said below the question. */
  hint?: string | undefined;
  /** What is wrong with the answer that was given before. */
  problem?: string | undefined;
  /** Whether there is a question before this one: Esc or ← throws `WentBack` then. */
  canGoBack?: boolean | undefined;
  /** Nothing of it stays on the screen. */
  isGone?: boolean | undefined;
}

export interface ConfirmQuestion extends Question {
  /** What Enter alone answers; no unless given. */
  initial?: boolean | undefined;
}

export interface TextQuestion extends Question {
  /** Stands there to be changed; Enter alone answers it as it is. */
  initial?: string;
  /** What is wrong with an answer; nothing where it will do. */
  validate?: (answer: string) => string | undefined;
  /** How an answer is understood, where that is not how it was typed. */
  understood?: (answer: string) => string | undefined;
  /** Hears of what was typed where the person goes back instead of answering. */
  onLeave?: ((typed: string) => void) | undefined;
}

export interface Choice<Value> {
  value: Value;
  label: string;
  description?: string;
  /** Tells it from others with the same label. */
  key?: string;
  /** What else it may be found by. */
  searched?: string;
  /** Shown at the side where the window is wide: lines for a width. Each is cleaned. */
  preview?: () => readonly string[];
}

export interface ChoiceQuestion<Value> extends Question {
  choices: readonly Choice<Value>[];
  initial?: Value | undefined;
}

export interface SeveralQuestion<Value> extends Question {
  choices: readonly Choice<Value>[];
  /** At least one must be chosen. */
  required?: boolean;
  /** Whether it is chosen from the start. */
  isChosen?: (value: Value) => boolean;
  /** Hears of what was chosen where the person goes back instead of answering. */
  onLeave?: ((chosen: readonly Value[]) => void) | undefined;
}

/** What a list may be chosen from, as far as it is known: it may still be on its way. */
export interface Entries<Value> {
  /** Those that hold every word of what has been typed. Asked for at each key: it must be quick. */
  matching(typed: string): readonly Choice<Value>[];
  /** Of how many they are a part, and what is going on: "15 of 5,060". */
  status(typed: string): string;
  /** Whether all are known that there are: then the last leads to the first again. */
  isWhole(typed: string): boolean;
  /** Sees to it that so many matching ones are known, or all. Resolves once they are; never rejects. */
  want(typed: string, count: number): Promise<void>;
  /** Told of whatever is new; answers what ends that. A failure that no key can mend comes as `failure`. */
  onChange(listener: (failure?: unknown) => void): () => void;
}

export interface ListQuestion<Value> extends Question {
  entries: Entries<Value>;
  /** Typed already. */
  typed?: string | undefined;
}

export interface SeveralFromList<Value> extends ListQuestion<Value> {
  required?: boolean;
  /** Enter takes the one that the cursor is on where none was chosen. */
  takesHere?: boolean | undefined;
  chosen?: readonly Choice<Value>[];
  /** Hears of what was chosen where the person goes back instead of answering. */
  onLeave?: ((chosen: readonly Value[]) => void) | undefined;
}

export interface SheetQuestion extends Question {
  rows: readonly SheetRow[];
  /** Over the column that is filled in. */
  header: string;
  /** Over those beside it, the ones that people need most first: a narrow window leaves out the last. */
  columns: readonly string[];
  /** What is wrong with a text in a row; nothing where it will do. */
  validate(text: string, row: number): string | undefined;
  /** Whether it can be left with nothing filled in. */
  mayBeEmpty?: boolean | undefined;
  /** Hears of the texts where the question is left without an answer: they are to stand there again. */
  onLeave?: ((texts: readonly string[]) => void) | undefined;
}

export interface SheetRow {
  /** Tells it from others with the same label. */
  id: string;
  label: string;
  /** What a person wants to know beside it, by `columns`. */
  cells: readonly string[];
  initial: string;
  /** What was said against it the last time. */
  problem?: string | undefined;
}

export interface SearchQuestion<Value> extends Question {
  /**
   * The choices for what has been typed so far, '' at first. Aborted when more is typed. A failure of the
   * connection is shown and typing can go on; any other ends the question.
   */
  source(term: string, signal: AbortSignal): Promise<readonly Choice<Value>[]>;
}

/** What a terminal must be able to ask. Texts are clean by the time they come here. */
export interface Asker {
  confirm(question: ConfirmQuestion & { initial: boolean }): Promise<boolean>;
  ask(question: TextQuestion): Promise<string>;
  askHidden(question: TextQuestion): Promise<string>;
  pick<Value>(question: ListQuestion<Value> & { initial?: Value | undefined }): Promise<Value>;
  pickSeveral<Value>(question: SeveralFromList<Value>): Promise<Value[]>;
  /** The texts of the rows, in their order. */
  fillSheet(question: SheetQuestion): Promise<string[]>;
}

/** What a question throws when the person ends it instead of answering. */
export function interrupted(): Failure {
  return new Failure('interrupted', 'You ended the question; nothing was sent.');
}

/** What a question throws when the person wants the one before it again. */
export class WentBack extends Error {
  constructor() {
    super('The question before is wanted again.');
    this.name = 'WentBack';
  }
}
