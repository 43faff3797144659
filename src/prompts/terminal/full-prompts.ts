/** Asks questions on a terminal that can move its cursor. Load lazily: the prompts take a while to load. */

import { confirm, input, password, select } from '@inquirer/prompts';
import type { Streams } from '../../terminal/streams.ts';
import { fieldPrompt } from './field-prompt.ts';
import { listPrompt } from './list-prompt.ts';
import { plainPrompts } from './plain-prompts.ts';
import { type AskContext, answering, type Frame, linesWithin, tips } from './prompt-frame.ts';
import type {
  Asker,
  Choice,
  ChoiceQuestion,
  ConfirmQuestion,
  FieldQuestion,
  PickQuestion,
  Question,
  SeveralFromList,
  SheetQuestion,
  TextQuestion,
} from './questions.ts';
import { sheetPrompt } from './sheet-prompt.ts';

/** Returns the prompts for a terminal: inquirer redraws lines, which a dumb terminal can't show. */
export function promptsFor(streams: Streams): Asker {
  return streams.cursor ? new FullPrompts(streams) : plainPrompts(streams);
}

/** Keys that go back where ← has no other use. */
const backKeys = ['escape', 'left'];

/** Columns of " (y/N) " and the answer. */
const confirmColumns = 8;

/** Ready-made prompts, and boh's own for a field of a form, a searched list and a sheet. */
class FullPrompts implements Asker {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  confirm(question: ConfirmQuestion & { initial: boolean }): Promise<boolean> {
    const transformer = (isYes: boolean) => (isYes ? 'yes' : 'no');
    return this.#ready(
      question,
      (options, context) => confirm({ ...options, default: question.initial, transformer }, context),
      { backKeys, answerColumns: confirmColumns },
    );
  }

  ask(question: TextQuestion): Promise<string> {
    const { initial = '' } = question;
    const validate = (text: string) => question.validate?.(text) ?? true;
    return this.#ready(question, (options, context) =>
      input({ ...options, default: initial, prefill: 'editable', validate }, context),
    );
  }

  askField(question: FieldQuestion): Promise<string> {
    return answering(this.#streams, question, (frame, context) =>
      fieldPrompt({ ...question, frame }, context),
    );
  }

  askHidden(question: TextQuestion): Promise<string> {
    const validate = (text: string) => question.validate?.(text) ?? true;
    return this.#ready(question, (options, context) =>
      password({ ...options, mask: false, toggleMask: false, validate }, context),
    );
  }

  choose<Value>({ choices, initial, ...question }: ChoiceQuestion<Value>): Promise<Value> {
    const entries = choices.map(({ value, label, description = '' }) => ({
      value,
      name: label,
      description,
    }));
    return this.#ready(
      question,
      (options, context, frame) => {
        const room = Math.max(3, frame.height() - 6);
        const size = { pageSize: Math.min(entries.length, room), loop: entries.length <= room };
        // An initial value of undefined would choose the entry that leaves the field out.
        const at = initial === undefined ? {} : { default: initial };
        return select({ ...options, ...size, ...at, choices: entries }, context);
      },
      { backKeys },
    );
  }

  async pick<Value>(question: PickQuestion<Value>): Promise<Value> {
    const [value] = await this.#list(question);
    return value as Value;
  }

  pickSeveral<Value>(question: SeveralFromList<Value>): Promise<Value[]> {
    return this.#list(question, question);
  }

  fillSheet(question: SheetQuestion): Promise<string[]> {
    return answering(this.#streams, question, (frame, context) =>
      sheetPrompt({ ...question, frame }, context),
    );
  }

  /** Runs a ready-made prompt. `answerColumns` stay free in the last line of the message. */
  #ready<Answer>(
    question: Question,
    prompt: (options: PromptOptions, context: AskContext, frame: Frame) => Promise<Answer>,
    {
      backKeys = ['escape'],
      answerColumns = 0,
    }: { backKeys?: readonly string[]; answerColumns?: number } = {},
  ): Promise<Answer> {
    return answering(
      this.#streams,
      question,
      (frame, context) => {
        // Inquirer would break lines inside words.
        const prefix = `${frame.marks.asks} `;
        const width = Math.max(10, frame.width() - 1 - answerColumns);
        const message = linesWithin(prefix + question.message, width)
          .join('\n')
          .slice(prefix.length);
        return prompt({ message, theme: themeFor(frame, question) }, context, frame);
      },
      question.canGoBack ? backKeys : [],
    );
  }

  async #list<Value>(question: PickQuestion<Value>, several?: SeveralFromList<Value>): Promise<Value[]> {
    const { required = false, chosen = [], enterChoosesCurrent } = several ?? {};
    const onBack = (left: readonly unknown[]) => several?.onBack?.(left as readonly Value[]);
    const found = await answering(this.#streams, question, (frame, context, fail) =>
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
    return (found as readonly Choice<Value>[]).map(({ value }) => value);
  }
}

/** What every ready-made prompt gets. */
interface PromptOptions {
  message: string;
  theme: ReturnType<typeof themeFor>;
}

/** Draws ready-made prompts like boh's own. They have no line for a hint, which is shown above the question. */
function themeFor(frame: Frame, { hint, problem, canGoBack }: Question) {
  const { marks, paint, width } = frame;
  const lines = (text: string | undefined) => (text ? linesWithin(text, width() - 1) : []);
  const above = [
    ...lines(problem).map(paint.red),
    ...lines(hint).map(paint.dim),
    ...(canGoBack ? [tips(frame, ['Esc to go back'])] : []),
  ];
  return {
    prefix: {
      idle: [...above, paint.bold(marks.asks)].join('\n'),
      done: paint.green(marks.done),
    },
    icon: { cursor: marks.cursor },
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
      keysHelpTip: () => tips(frame, ['Arrow keys to move', 'Enter to choose']),
    },
  };
}
