/** Asks questions on a terminal that can move its cursor. Load it lazily: the prompts load slowly. */

import { confirm, input, password, select } from '@inquirer/prompts';
import type { Streams } from '../../terminal/streams.ts';
import { fieldPrompt } from './field-prompt.ts';
import { listPrompt } from './list-prompt.ts';
import { plainPrompts } from './plain-prompts.ts';
import { type Frame, linesWithin, type PromptContext, runPrompt, tipLine } from './prompt-frame.ts';
import type {
  Choice,
  ChoiceQuestion,
  ConfirmQuestion,
  FieldQuestion,
  PickQuestion,
  PickSeveralQuestion,
  Prompter,
  Question,
  SheetQuestion,
  TextQuestion,
} from './questions.ts';
import { sheetPrompt } from './sheet-prompt.ts';

/** Returns the prompts for a terminal: inquirer redraws lines, which a dumb terminal can't show. */
export function promptsFor(streams: Streams): Prompter {
  return streams.cursor ? new FullPrompts(streams) : plainPrompts(streams);
}

/** The keys that go back in prompts in which ← has no other use. */
const escapeAndLeft = ['escape', 'left'];

/** The number of columns of " (y/N) " and the answer. */
const confirmColumns = 8;

/** Uses inquirer's prompts, and boh's own for a form field, a searchable list and a sheet. */
class FullPrompts implements Prompter {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  confirm(question: ConfirmQuestion & { initial: boolean }): Promise<boolean> {
    const transformer = (isYes: boolean) => (isYes ? 'yes' : 'no');
    return this.#runInquirerPrompt(
      question,
      (options, context) => confirm({ ...options, default: question.initial, transformer }, context),
      { backKeys: escapeAndLeft, answerColumns: confirmColumns },
    );
  }

  ask(question: TextQuestion): Promise<string> {
    const { initial = '' } = question;
    const validate = (text: string) => question.validate?.(text) ?? true;
    return this.#runInquirerPrompt(question, (options, context) =>
      input({ ...options, default: initial, prefill: 'editable', validate }, context),
    );
  }

  askField(question: FieldQuestion): Promise<string> {
    return runPrompt(this.#streams, question, (frame, context) =>
      fieldPrompt({ ...question, frame }, context),
    );
  }

  askHidden(question: TextQuestion): Promise<string> {
    const validate = (text: string) => question.validate?.(text) ?? true;
    return this.#runInquirerPrompt(question, (options, context) =>
      password({ ...options, mask: false, toggleMask: false, validate }, context),
    );
  }

  choose<Value>({ choices, initial, ...question }: ChoiceQuestion<Value>): Promise<Value> {
    const entries = choices.map(({ value, label, description = '' }) => ({
      value,
      name: label,
      description,
    }));
    return this.#runInquirerPrompt(
      question,
      (options, context, frame) => {
        const maxRows = Math.max(3, frame.height() - 6);
        const size = { pageSize: Math.min(entries.length, maxRows), loop: entries.length <= maxRows };
        // A default of undefined would choose the entry that skips the field.
        const defaultOption = initial === undefined ? {} : { default: initial };
        return select({ ...options, ...size, ...defaultOption, choices: entries }, context);
      },
      { backKeys: escapeAndLeft },
    );
  }

  async pick<Value>(question: PickQuestion<Value>): Promise<Value> {
    const [value] = await this.#runList(question);
    return value as Value;
  }

  pickSeveral<Value>(question: PickSeveralQuestion<Value>): Promise<Value[]> {
    return this.#runList(question, question);
  }

  fillSheet(question: SheetQuestion): Promise<string[]> {
    return runPrompt(this.#streams, question, (frame, context) =>
      sheetPrompt({ ...question, frame }, context),
    );
  }

  /** Runs an inquirer prompt. `answerColumns` stay free in the last line of the message. */
  #runInquirerPrompt<Answer>(
    question: Question,
    prompt: (options: PromptOptions, context: PromptContext, frame: Frame) => Promise<Answer>,
    {
      backKeys = ['escape'],
      answerColumns = 0,
    }: { backKeys?: readonly string[]; answerColumns?: number } = {},
  ): Promise<Answer> {
    return runPrompt(
      this.#streams,
      question,
      (frame, context) => {
        // Inquirer would break lines inside words.
        const prefix = `${frame.symbols.question} `;
        const width = Math.max(10, frame.width() - 1 - answerColumns);
        const message = linesWithin(prefix + question.message, width)
          .join('\n')
          .slice(prefix.length);
        return prompt({ message, theme: themeFor(frame, question) }, context, frame);
      },
      question.canGoBack ? backKeys : [],
    );
  }

  async #runList<Value>(
    question: PickQuestion<Value>,
    several?: PickSeveralQuestion<Value>,
  ): Promise<Value[]> {
    const { required = false, chosen = [], enterChoosesCurrent } = several ?? {};
    const onBack = (chosenValues: readonly unknown[]) => several?.onBack?.(chosenValues as readonly Value[]);
    const chosenEntries = await runPrompt(this.#streams, question, (frame, context, fail) =>
      listPrompt(
        {
          ...question,
          frame,
          fail,
          multiSelect: several && { required, enterChoosesCurrent, chosen, onBack },
        },
        context,
      ),
    );
    return (chosenEntries as readonly Choice<Value>[]).map(({ value }) => value);
  }
}

/** The options of every inquirer prompt. */
interface PromptOptions {
  message: string;
  theme: ReturnType<typeof themeFor>;
}

/** Returns a theme that styles inquirer's prompts like boh's own. They have no line for a hint: it is above the question. */
function themeFor(frame: Frame, { hint, problem, canGoBack, clearsWhenRefused }: Question) {
  const { symbols, paint, width } = frame;
  const lines = (text: string | undefined) => (text ? linesWithin(text, width() - 1) : []);
  const linesAbove = [
    ...lines(problem).map(paint.red),
    ...lines(hint).map(paint.dim),
    ...(canGoBack ? [tipLine(frame, ['Esc to go back'])] : []),
  ];
  return {
    prefix: {
      idle: [...linesAbove, paint.bold(symbols.question)].join('\n'),
      done: paint.green(symbols.done),
    },
    icon: { cursor: symbols.cursor },
    validationFailureMode: clearsWhenRefused ? ('clear' as const) : ('keep' as const),
    keywords: { error: () => 'Answer yes or no.' },
    style: {
      message: paint.bold,
      answer: paint.cyan,
      highlight: paint.cyan,
      error: paint.red,
      description: paint.dim,
      help: paint.dim,
      defaultAnswer: (text: string) => paint.bold(`(${text})`),
      maskedText: 'Input is hidden.',
      keysHelpTip: () => tipLine(frame, ['Arrow keys to move', 'Enter to choose']),
    },
  };
}
