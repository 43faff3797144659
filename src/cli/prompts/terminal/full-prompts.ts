/** Asks questions on a terminal that can move its cursor, with inquirer's prompts and boh's own. They load slowly. */
import { isEnterKey, isTabKey, type KeypressEvent } from '@inquirer/core';
import { confirm, input, password, select } from '@inquirer/prompts';
import type { Streams } from '../../terminal/streams.ts';
import type { Frame } from './frame.ts';
import { ListScreen } from './list-screen.ts';
import type {
  Choice,
  ChoiceQuestion,
  ConfirmQuestion,
  FieldQuestion,
  PickQuestion,
  PickSeveralQuestion,
  Prompts,
  Question,
  SheetQuestion,
  TextQuestion,
} from './questions.ts';
import { type Line, type PromptContext, runPrompt, runScreen, type Screen, setLine } from './run-prompt.ts';
import { SheetScreen } from './sheet-screen.ts';

// They are in the same chunk, because questions on a terminal are rare.
export { PlainPrompts } from './plain-prompts.ts';

/** The keys that go back in prompts in which ← has no other use. */
const escapeAndLeft = ['escape', 'left'];

/** The number of columns of " (y/N) " and the answer. */
const confirmColumns = 8;

export class FullPrompts implements Prompts {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  confirm(question: ConfirmQuestion): Promise<boolean> {
    const { initial = false } = question;
    const transformer = (isYes: boolean) => (isYes ? 'yes' : 'no');
    return this.#runInquirerPrompt(
      question,
      (options, context) => confirm({ ...options, default: initial, transformer }, context),
      { backKeys: escapeAndLeft, answerColumns: confirmColumns },
    );
  }

  ask(question: TextQuestion): Promise<string> {
    return this.#runInquirerPrompt(question, async (options, context, frame) => {
      const { text, answerOf } = initialText(question, frame);
      const validate = validateWith(question, frame, answerOf);
      return answerOf(await input({ ...options, default: text, prefill: 'editable', validate }, context));
    });
  }

  askField(question: FieldQuestion): Promise<string> {
    return runScreen(this.#streams, question, (frame) => new FieldScreen(question, frame));
  }

  askHidden(question: TextQuestion): Promise<string> {
    return this.#runInquirerPrompt(question, (options, context, frame) => {
      const validate = validateWith(question, frame);
      return password({ ...options, mask: false, toggleMask: false, validate }, context);
    });
  }

  choose<Value>({ choices, initial, ...question }: ChoiceQuestion<Value>): Promise<Value> {
    return this.#runInquirerPrompt(
      question,
      (options, context, frame) => {
        const entries = choices.map(({ value, label, description = '' }) => ({
          value,
          name: frame.clean(label),
          description: frame.clean(description),
        }));
        const maxRows = Math.max(3, frame.height - 6);
        const size = { pageSize: Math.min(entries.length, maxRows), loop: entries.length <= maxRows };
        // A default of undefined would choose the entry that skips the field.
        const defaultOption = initial === undefined ? {} : { default: initial };
        return select({ ...options, ...size, ...defaultOption, choices: entries }, context);
      },
      { backKeys: escapeAndLeft },
    );
  }

  async pick<Value>(question: PickQuestion<Value>): Promise<Value> {
    const [choice] = await this.#runList(question, false);
    return (choice as Choice<Value>).value;
  }

  async pickSeveral<Value>(question: PickSeveralQuestion<Value>): Promise<Value[]> {
    return (await this.#runList(question, true)).map(({ value }) => value);
  }

  fillSheet(question: SheetQuestion): Promise<string[]> {
    return runScreen(this.#streams, question, (frame) => new SheetScreen(question, frame));
  }

  #runList<Value>(question: PickQuestion<Value> & PickSeveralQuestion<Value>, isSeveral: boolean) {
    return runScreen(this.#streams, question, (frame) => new ListScreen(question, frame, { isSeveral }));
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
        const lines = frame.wrap(prefix + question.message, Math.max(10, frame.width - answerColumns));
        const message = lines.join('\n').slice(prefix.length);
        return prompt({ message, theme: themeFor(frame, question) }, context, frame);
      },
      question.canGoBack ? backKeys : [],
    );
  }
}

/** Returns the initial text as it can be drawn, and a function that returns the original text if it wasn't changed. */
function initialText({ initial = '' }: TextQuestion, frame: Frame) {
  const text = frame.clean(initial);
  return { text, answerOf: (answer: string) => (answer === text ? initial : answer) };
}

function validateWith({ validate }: TextQuestion, frame: Frame, answerOf = (text: string) => text) {
  return (text: string) => {
    const problem = validate?.(answerOf(text));
    return problem === undefined ? true : frame.clean(problem);
  };
}

interface PromptOptions {
  message: string;
  theme: ReturnType<typeof themeFor>;
}

/** Returns a theme that styles inquirer's prompts like boh's own. They have no line for a hint: it is above the question. */
function themeFor(frame: Frame, { hint, problem, canGoBack, clearsWhenRefused }: Question) {
  const { symbols, paint } = frame;
  const linesAbove = [
    ...frame.wrap(problem).map(paint.red),
    ...frame.wrap(hint).map(paint.dim),
    ...(canGoBack ? frame.tips(['Esc to go back']) : []),
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
      keysHelpTip: () =>
        frame.tips(['Arrow keys to move', 'Enter to choose', !canGoBack && 'Ctrl-C to cancel'], 1).join(''),
    },
  };
}

/** The text of a form field. Inquirer's `input` can't show a hint and the value below the text, and can't keep a draft. */
class FieldScreen implements Screen<string> {
  readonly initialText: string;
  answer: string | undefined;
  readonly #question: FieldQuestion;
  readonly #frame: Frame;
  readonly #answerOf: (text: string) => string;
  #text: string;
  #problem: string | undefined;

  constructor(question: FieldQuestion, frame: Frame) {
    const { text, answerOf } = initialText(question, frame);
    this.initialText = text;
    this.#question = question;
    this.#frame = frame;
    this.#answerOf = answerOf;
    this.#text = text;
    this.#problem = question.problem;
  }

  draft(): string {
    return this.#answerOf(this.#text);
  }

  press(key: KeypressEvent, line: Line): void {
    if (isEnterKey(key)) {
      this.#problem = this.#validate();
      // Enter has cleared the line of readline.
      if (this.#problem === undefined) this.answer = this.#answerOf(this.#text);
      else if (this.#text !== '') line.write(this.#text);
      return;
    }
    if (isTabKey(key)) setLine(line, this.#text);
    else if (line.line !== this.#text) this.#problem = undefined;
    this.#text = line.line;
  }

  draw(): { content: string; below: string[] } {
    const { message, hint } = this.#question;
    const { dim, red, green } = this.#frame.paint;
    const text = this.#text;
    // An invalid text is red while the user types. Enter shows the reason.
    const isInvalid = text !== '' && this.#validate() !== undefined;
    const preview = this.#problem === undefined && !isInvalid ? this.#preview() : undefined;
    const content = this.#frame.heading(message, text);
    return {
      content: isInvalid ? content.replace(text, () => red(text)) : content,
      below: [
        ...this.#frame.wrap(this.#problem).map(red),
        ...(preview === undefined ? [] : this.#frame.wrap(`= ${preview}`).map(green)),
        ...this.#frame.wrap(hint).map(dim),
        ...(this.#frame.canGoBack ? this.#frame.tips(['Enter to continue', 'Esc to go back'], 1) : []),
      ],
    };
  }

  /** The value that is sent stays on the screen. */
  drawAnswer(): string {
    return this.#frame.answered(this.#question.message, this.#preview() ?? this.#text);
  }

  #validate(): string | undefined {
    return this.#question.validate?.(this.#answerOf(this.#text));
  }

  #preview(): string | undefined {
    return this.#text === '' ? undefined : this.#question.previewValue?.(this.#answerOf(this.#text));
  }
}
