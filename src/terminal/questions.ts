/** The kinds of question that can be put to the person at the terminal. */
import { Failure } from '../errors.ts';

export interface Question {
  message: string;
}

export interface TextQuestion extends Question {
  /** What Enter alone answers. */
  initial?: string;
  /** What is wrong with an answer; nothing where it will do. */
  validate?: (answer: string) => string | undefined;
}

export interface Choice<Value> {
  value: Value;
  label: string;
  description?: string;
}

export interface ChoiceQuestion<Value> extends Question {
  choices: readonly Choice<Value>[];
  initial?: Value;
}

export interface SeveralQuestion<Value> extends Question {
  choices: readonly Choice<Value>[];
  /** At least one must be chosen. */
  required?: boolean;
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
  confirm(question: Question & { initial: boolean }): Promise<boolean>;
  ask(question: TextQuestion): Promise<string>;
  askHidden(question: TextQuestion): Promise<string>;
  choose<Value>(question: ChoiceQuestion<Value>): Promise<Value>;
  chooseSeveral<Value>(question: SeveralQuestion<Value>): Promise<Value[]>;
  search<Value>(question: SearchQuestion<Value>): Promise<Value>;
}

/** What a question throws when the person ends it instead of answering. */
export function interrupted(): Failure {
  return new Failure('interrupted', 'You ended the question; nothing was sent.');
}
