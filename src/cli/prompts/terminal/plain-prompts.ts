/** Asks questions on a terminal that can't move its cursor (TERM=dumb): writes a line and reads a line. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { cleanLine, toAscii } from '../../terminal/clean.ts';
import { handleSuspension } from '../../terminal/keys.ts';
import type { Streams } from '../../terminal/streams.ts';
import {
  BackRequested,
  type Choice,
  type ChoiceQuestion,
  type ConfirmQuestion,
  canceled,
  choiceKey,
  entriesOf,
  type FieldQuestion,
  type ListQuestion,
  type PickQuestion,
  type PickSeveralQuestion,
  type Prompts,
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

export class PlainPrompts implements Prompts {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  async confirm(question: ConfirmQuestion): Promise<boolean> {
    const { message, initial = false } = question;
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
    return this.askField(question);
  }

  askHidden(question: FieldQuestion): Promise<string> {
    return this.askField(question, true);
  }

  async askField(question: FieldQuestion, isHidden = false): Promise<string> {
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

  choose<Value>({ choices, ...question }: ChoiceQuestion<Value>): Promise<Value> {
    return this.pick({ ...question, entries: choices });
  }

  async pick<Value>(question: PickQuestion<Value>): Promise<Value> {
    const { initial, message, searchText = '' } = question;
    this.#writeLine(message);
    this.#writeIntroduction(question);
    for (let choices = await this.#listChoices(question, searchText); ; ) {
      const initialIndex = choices.findIndex(({ value }) => initial !== undefined && value === initial);
      const initialNumber = initialIndex === -1 ? '' : String(initialIndex + 1);
      const initialHint = initialNumber && ` [${initialNumber}]`;
      const input = await this.#read(question, `Number, or part of the name${initialHint}: `);
      const answer = input.trim() || initialNumber;
      const choice = choices[Number(answer) - 1];
      if (choice) return choice.value;
      if (/^\d*$/.test(answer)) this.#writeLine(`Type a number from 1 to ${choices.length}.`);
      else choices = await this.#listChoices(question, answer);
    }
  }

  async pickSeveral<Value>(question: PickSeveralQuestion<Value>): Promise<Value[]> {
    const { message, required = false, chosen = [], searchText = '' } = question;
    const entries = entriesOf(question);
    this.#writeLine(message);
    this.#writeIntroduction(question);
    const checkedChoices = new Map(chosen.map((choice) => [choiceKey(choice), choice]));
    for (let choices = await this.#listChoices(question, searchText, checkedChoices); ; ) {
      const hasChecked = checkedChoices.size > 0;
      const keepHint = hasChecked ? ` (Enter to keep the marked ones, ${clearWord} for none)` : '';
      const answer = (await this.#read(question, `Numbers, separated by commas${keepHint}: `)).trim();
      const parts = answer === clearWord ? [] : answer.split(',').filter((part) => part.trim() !== '');
      const newChoices = parts.flatMap((part) => choices[Number(part) - 1] ?? []);
      if (newChoices.length < parts.length || (required && !hasChecked && parts.length === 0)) {
        this.#writeLine(`Type numbers from 1 to ${choices.length}.`);
        continue;
      }
      if (answer === clearWord) checkedChoices.clear();
      if (answer !== '') for (const choice of choices) checkedChoices.delete(choiceKey(choice));
      for (const choice of newChoices) checkedChoices.set(choiceKey(choice), choice);
      if (checkedChoices.size > 0)
        this.#writeLine(`Chosen: ${[...checkedChoices.values()].map(({ label }) => label).join(', ')}`);
      const isAll = choices.length >= entries.findMatches('').length && entries.isComplete('');
      const nextText = isAll
        ? ''
        : (await this.#read(question, 'Search for more (part of the name, or Enter to finish): ')).trim();
      if (nextText === '') return [...checkedChoices.values()].map(({ value }) => value);
      choices = await this.#listChoices(question, nextText, checkedChoices);
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
        if (!(error instanceof BackRequested)) throw error;
        if (row === 0) throw new BackRequested(texts);
        row -= 2;
      }
    }
    return texts;
  }

  #askRow(question: SheetQuestion, row: number, initial: string): Promise<string> {
    const { rows, header, columns, validate, canGoBack } = question;
    const { label = '', cells = [], problem } = rows[row] ?? {};
    const cellTexts = cells.flatMap((cell, index) => (cell === '' ? [] : `${columns[index]} ${cell}`));
    return this.askField({
      message: `${[label, ...cellTexts].join(', ')}, ${header}`,
      problem,
      initial,
      validate: (answer) => (answer === stopWord ? undefined : validate(answer, row)),
      canGoBack: canGoBack || row > 0,
    });
  }

  /** Lists the entries that match a part of a name. Asks for another part if none match or too many do. */
  async #listChoices<Value>(
    question: ListQuestion<Value>,
    part: string,
    checkedChoices: ReadonlyMap<string, unknown> = new Map(),
  ): Promise<readonly Choice<Value>[]> {
    const entries = entriesOf(question);
    let failure: unknown;
    const removeListener = entries.onChange((reason) => {
      failure ??= reason;
    });
    try {
      for (let searchText = part; ; ) {
        await entries.load(searchText, maxListedEntries + 1);
        if (failure !== undefined) throw failure;
        const choices = entries.findMatches(searchText);
        if (choices.length > 0 && choices.length <= maxListedEntries) {
          for (const [index, choice] of choices.entries()) {
            const checkbox = checkedChoices.has(choiceKey(choice)) ? '[x] ' : '[ ] ';
            this.#writeLine(`  ${index + 1}) ${checkedChoices.size > 0 ? checkbox : ''}${choice.label}`);
          }
          return choices;
        }
        this.#writeLine(
          choices.length === 0 ? 'No matches.' : `${entries.status(searchText)}: too many to list.`,
        );
        searchText = await this.#read(question, `${question.message} (part of the name): `);
      }
    } finally {
      removeListener();
    }
  }

  #clean(text: string): string {
    return this.#streams.unicode ? cleanLine(text) : toAscii(cleanLine(text));
  }

  #writeLine(text: string): void {
    this.#streams.stderr.write(`${this.#clean(text)}\n`);
  }

  #writeIntroduction({ problem, hint, canGoBack }: Question): void {
    if (problem !== undefined) this.#writeLine(problem);
    if (hint) this.#writeLine(`  ${hint}`);
    if (canGoBack) this.#writeLine(`  ${backWord} to go back.`);
  }

  async #read({ canGoBack, signal }: Question, prompt: string, isHidden = false): Promise<string> {
    const answer = await readLine(this.#streams, this.#clean(prompt), isHidden, signal);
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
