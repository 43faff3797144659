/** Asks questions on a terminal that can't move its cursor (TERM=dumb): writes a line and reads a line. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Streams } from '../../terminal/streams.ts';
import { handleSuspension } from '../../terminal/suspension.ts';
import {
  BackRequested,
  type Choice,
  type ChoiceQuestion,
  type ConfirmQuestion,
  canceled,
  choiceKey,
  type FieldQuestion,
  fixedEntries,
  type ListQuestion,
  type PickQuestion,
  type PickSeveralQuestion,
  type Prompter,
  type Question,
  type SheetQuestion,
} from './questions.ts';

/** The answer that goes back to the previous question. */
const backWord = '<';
/** The answer that clears the value. Enter alone keeps it. */
const clearWord = '-';
/** The answer that ends a sheet and keeps the other rows. */
const stopWord = '.';

/** The maximum number of entries that are listed. A longer list asks for part of the name first. */
const maxListedEntries = 50;

/** Returns prompts that write one line and read one line. */
export function plainPrompts(streams: Streams): Prompter {
  return new PlainPrompts(streams);
}

class PlainPrompts implements Prompter {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  async confirm(question: ConfirmQuestion & { initial: boolean }): Promise<boolean> {
    const { message, initial } = question;
    this.#writeIntroduction(question);
    for (;;) {
      const input = await this.#read(question, `${message} [${initial ? 'Y/n' : 'y/N'}]: `);
      const answer = input.trim().toLowerCase();
      if (answer === '') return initial;
      if ('yes'.startsWith(answer)) return true;
      if ('no'.startsWith(answer)) return false;
      this.#writeLine('Answer yes or no.');
    }
  }

  ask(question: FieldQuestion): Promise<string> {
    return this.#askText(question, false);
  }

  askField(question: FieldQuestion): Promise<string> {
    return this.#askText(question, false);
  }

  askHidden(question: FieldQuestion): Promise<string> {
    return this.#askText(question, true);
  }

  choose<Value>({ choices, ...question }: ChoiceQuestion<Value>): Promise<Value> {
    return this.pick({ ...question, entries: fixedEntries(choices) });
  }

  async pick<Value>(question: PickQuestion<Value>): Promise<Value> {
    const { initial, message } = question;
    this.#writeLine(message);
    this.#writeIntroduction(question);
    let searchText = question.searchText ?? '';
    for (;;) {
      const choices = await this.#findChoices(question, searchText);
      for (const [index, { label }] of choices.entries()) this.#writeLine(`  ${index + 1}) ${label}`);
      const defaultChoice = choices.find(({ value }) => initial !== undefined && value === initial);
      const answer = await this.#readChoice(question, choices, defaultChoice);
      if (typeof answer !== 'string') return answer.value;
      searchText = answer;
    }
  }

  async pickSeveral<Value>(question: PickSeveralQuestion<Value>): Promise<Value[]> {
    const { message, required = false, chosen = [], entries } = question;
    this.#writeLine(message);
    this.#writeIntroduction(question);
    const checkedChoices = new Map(chosen.map((choice) => [choiceKey(choice), choice]));
    for (let searchText = question.searchText ?? ''; ; ) {
      const choices = await this.#findChoices(question, searchText);
      for (const [index, choice] of choices.entries()) {
        const checkbox = checkedChoices.has(choiceKey(choice))
          ? '[x] '
          : checkedChoices.size > 0
            ? '[ ] '
            : '';
        this.#writeLine(`  ${index + 1}) ${checkbox}${choice.label}`);
      }
      const numbers = await this.#readNumbers(question, choices.length, {
        required: required && checkedChoices.size === 0,
        keepHint: checkedChoices.size > 0 ? ` (Enter to keep the marked ones, ${clearWord} for none)` : '',
      });
      if (numbers?.length === 0) checkedChoices.clear();
      if (numbers) {
        for (const choice of choices) checkedChoices.delete(choiceKey(choice));
        for (const choice of numbers.flatMap((number) => choices[number - 1] ?? []))
          checkedChoices.set(choiceKey(choice), choice);
      }
      const isAll = choices.length >= entries.findMatches('').length && entries.isComplete('');
      searchText = isAll
        ? ''
        : (await this.#read(question, 'Search for more (part of the name, or Enter to finish): ')).trim();
      if (searchText === '') return [...checkedChoices.values()].map(({ value }) => value);
    }
  }

  async fillSheet(question: SheetQuestion): Promise<string[]> {
    const { message, rows } = question;
    this.#writeLine(message);
    this.#writeIntroduction(question);
    this.#writeLine(`  Type ${stopWord} to keep the other rows unchanged.`);
    const texts = rows.map(({ initial }) => initial);
    for (let row = 0; row < rows.length; row++) {
      try {
        const text = await this.#askRow(question, row, texts[row] ?? '');
        if (text === stopWord) break;
        texts[row] = text;
      } catch (error) {
        if (!(error instanceof BackRequested) || row === 0) {
          question.onLeave?.(texts);
          throw error;
        }
        row -= 2;
      }
    }
    return texts;
  }

  #askRow(question: SheetQuestion, row: number, initial: string): Promise<string> {
    const { rows, header, columns, validate, canGoBack } = question;
    const { label = '', cells = [], problem } = rows[row] ?? {};
    const cellTexts = cells.flatMap((cell, index) => (cell === '' ? [] : `${columns[index]} ${cell}`));
    return this.ask({
      message: `${[label, ...cellTexts].join(', ')}, ${header}`,
      problem,
      initial,
      validate: (answer) => (answer === stopWord ? undefined : validate(answer, row)),
      canGoBack: canGoBack || row > 0,
    });
  }

  async #askText(question: FieldQuestion, isHidden: boolean): Promise<string> {
    const { message, initial = '', validate, previewValue } = question;
    this.#writeIntroduction(question);
    const prompt = initial === '' ? `${message}: ` : `${message} [${initial}, ${clearWord} for none]: `;
    for (;;) {
      const input = (await this.#read(question, prompt, isHidden)) || initial;
      const answer = initial !== '' && input === clearWord ? '' : input;
      const problem = validate?.(answer);
      if (problem !== undefined) {
        this.#writeLine(problem);
        continue;
      }
      const preview = answer === initial ? undefined : previewValue?.(answer);
      if (preview !== undefined) this.#writeLine(`  = ${preview}`);
      return answer;
    }
  }

  /** Returns the entries that match a part of a name. Asks for another part if none match or too many do. */
  async #findChoices<Value>(question: ListQuestion<Value>, part: string): Promise<readonly Choice<Value>[]> {
    const { entries, message } = question;
    let searchText = part;
    let failure: unknown;
    const removeListener = entries.onChange((reason) => {
      failure ??= reason;
    });
    try {
      for (;;) {
        await entries.load(searchText, maxListedEntries + 1);
        if (failure !== undefined) throw failure;
        const choices = entries.findMatches(searchText);
        if (choices.length > 0 && choices.length <= maxListedEntries) return choices;
        this.#writeLine(
          choices.length === 0 ? 'No matches.' : `${entries.status(searchText)}: too many to list.`,
        );
        searchText = await this.#read(question, `${message} (part of the name): `);
      }
    } finally {
      removeListener();
    }
  }

  /** Returns the choice with the number that was typed, or the part of a name that was typed instead. */
  async #readChoice<Value>(
    question: Question,
    choices: readonly Choice<Value>[],
    defaultChoice: Choice<Value> | undefined,
  ): Promise<Choice<Value> | string> {
    const defaultHint = defaultChoice === undefined ? '' : ` [${choices.indexOf(defaultChoice) + 1}]`;
    for (;;) {
      const answer = (await this.#read(question, `Number, or part of the name${defaultHint}: `)).trim();
      const isNumber = /^\d+$/.test(answer);
      if (answer !== '' && !isNumber) return answer;
      const choice = isNumber ? choices[Number(answer) - 1] : defaultChoice;
      if (choice !== undefined) return choice;
      this.#writeLine(`Type a number from 1 to ${choices.length}.`);
    }
  }

  /** Returns undefined if Enter alone keeps everything unchanged. */
  async #readNumbers(
    question: Question,
    count: number,
    { required, keepHint }: { required: boolean; keepHint: string },
  ): Promise<number[] | undefined> {
    for (;;) {
      const answer = (await this.#read(question, `Numbers, separated by commas${keepHint}: `)).trim();
      if (answer === '' && keepHint !== '') return undefined;
      const parts = answer === clearWord ? [] : answer.split(',').map((part) => part.trim());
      const numbers = parts.filter(Boolean).map((part) => (/^\d+$/.test(part) ? Number(part) : 0));
      const isValid = numbers.every((number) => number >= 1 && number <= count);
      if (isValid && (numbers.length > 0 || !required)) return numbers;
      this.#writeLine(`Type numbers from 1 to ${count}.`);
    }
  }

  #writeLine(text: string): void {
    this.#streams.stderr.write(`${text}\n`);
  }

  #writeIntroduction({ problem, hint, canGoBack }: Question): void {
    if (problem !== undefined) this.#writeLine(problem);
    if (hint) this.#writeLine(`  ${hint}`);
    if (canGoBack) this.#writeLine(`  ${backWord} to go back.`);
  }

  async #read({ canGoBack, signal }: Question, prompt: string, isHidden = false): Promise<string> {
    const answer = await readLine(this.#streams, prompt, isHidden, signal);
    if (canGoBack && answer.trim() === backWord) throw new BackRequested();
    return answer;
  }
}

/** Reads a line. The terminal edits and echoes it, unless the line is hidden. */
async function readLine(
  streams: Streams,
  prompt: string,
  isHidden: boolean,
  signal?: AbortSignal,
): Promise<string> {
  signal?.throwIfAborted();
  const { stdin, stderr } = streams;
  const discardOutput = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: discardOutput, terminal: isHidden, signal });
  const writePrompt = () => stderr.write(prompt);
  const { suspend, release } = handleSuspension(streams, () => {}, writePrompt);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const cancel = () => {
    stderr.write('\n');
    reject(signal?.aborted ? signal.reason : canceled());
  };
  lines.once('line', (line) => {
    if (isHidden) stderr.write('\n');
    resolve(line);
  });
  lines.on('SIGTSTP', suspend).once('SIGINT', cancel).once('close', cancel);
  process.once('SIGINT', cancel);
  writePrompt();
  try {
    return await promise;
  } finally {
    release();
    process.off('SIGINT', cancel);
    lines.off('close', cancel).close();
  }
}
