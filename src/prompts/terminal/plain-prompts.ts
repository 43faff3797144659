/** Asks questions on a terminal that can't move its cursor (TERM=dumb): a line out, a line in. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Streams } from '../../terminal/streams.ts';
import {
  type Asker,
  type Choice,
  type ChoiceQuestion,
  type ConfirmQuestion,
  canceled,
  type FieldQuestion,
  fixedEntries,
  keyOf,
  type ListQuestion,
  type PickQuestion,
  type Question,
  type SeveralFromList,
  type SheetQuestion,
  WentBack,
} from './questions.ts';

/** The answer that goes back to the previous question. */
const backWord = '<';
/** The answer that clears the value, where Enter alone keeps it. */
const nothingWord = '-';
/** The answer that ends a sheet and keeps the other rows. */
const stopWord = '.';

/** Entries that are listed at most: a longer list asks for part of the name first. */
const maxListed = 50;

/** Makes prompts that write one line and read one. */
export function plainPrompts(streams: Streams): Asker {
  return new PlainPrompts(streams);
}

class PlainPrompts implements Asker {
  readonly #streams: Streams;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  async confirm(question: ConfirmQuestion & { initial: boolean }): Promise<boolean> {
    const { message, initial } = question;
    this.#introduce(question);
    for (;;) {
      const typed = await this.#read(question, `${message} [${initial ? 'Y/n' : 'y/N'}]: `);
      const answer = typed.trim().toLowerCase();
      if (answer === '') return initial;
      if ('yes'.startsWith(answer)) return true;
      if ('no'.startsWith(answer)) return false;
      this.#say('Answer yes or no.');
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
    this.#say(message);
    this.#introduce(question);
    let typed = question.typed ?? '';
    for (;;) {
      const choices = await this.#findChoices(question, typed);
      for (const [index, { label }] of choices.entries()) this.#say(`  ${index + 1}) ${label}`);
      const usual = choices.find(({ value }) => initial !== undefined && value === initial);
      const answer = await this.#readChoice(question, choices, usual);
      if (typeof answer !== 'string') return answer.value;
      typed = answer;
    }
  }

  async pickSeveral<Value>(question: SeveralFromList<Value>): Promise<Value[]> {
    const { message, required = false, chosen = [], entries } = question;
    this.#say(message);
    this.#introduce(question);
    const taken = new Map(chosen.map((choice) => [keyOf(choice), choice]));
    for (let typed = question.typed ?? ''; ; ) {
      const choices = await this.#findChoices(question, typed);
      for (const [index, choice] of choices.entries()) {
        const mark = taken.has(keyOf(choice)) ? '[x] ' : taken.size > 0 ? '[ ] ' : '';
        this.#say(`  ${index + 1}) ${mark}${choice.label}`);
      }
      const numbers = await this.#readNumbers(question, choices.length, {
        required: required && taken.size === 0,
        keeps: taken.size > 0 ? ` (Enter to keep the marked ones, ${nothingWord} for none)` : '',
      });
      if (numbers?.length === 0) taken.clear();
      if (numbers) {
        for (const choice of choices) taken.delete(keyOf(choice));
        for (const choice of numbers.flatMap((number) => choices[number - 1] ?? []))
          taken.set(keyOf(choice), choice);
      }
      const isAll = choices.length >= entries.matching('').length && entries.isWhole('');
      typed = isAll
        ? ''
        : (await this.#read(question, 'Search for more (part of the name, or Enter to finish): ')).trim();
      if (typed === '') return [...taken.values()].map(({ value }) => value);
    }
  }

  async fillSheet(question: SheetQuestion): Promise<string[]> {
    const { message, rows } = question;
    this.#say(message);
    this.#introduce(question);
    this.#say(`  Type ${stopWord} to keep the other rows unchanged.`);
    const texts = rows.map(({ initial }) => initial);
    for (let row = 0; row < rows.length; row++) {
      try {
        const text = await this.#askRow(question, row, texts[row] ?? '');
        if (text === stopWord) break;
        texts[row] = text;
      } catch (error) {
        if (!(error instanceof WentBack) || row === 0) {
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
    const beside = cells.flatMap((cell, index) => (cell === '' ? [] : `${columns[index]} ${cell}`));
    return this.ask({
      message: `${[label, ...beside].join(', ')}, ${header}`,
      problem,
      initial,
      validate: (typed) => (typed === stopWord ? undefined : validate(typed, row)),
      canGoBack: canGoBack || row > 0,
    });
  }

  async #askText(question: FieldQuestion, isHidden: boolean): Promise<string> {
    const { message, initial = '', validate, understood } = question;
    this.#introduce(question);
    const prompt = initial === '' ? `${message}: ` : `${message} [${initial}, ${nothingWord} for none]: `;
    for (;;) {
      const typed = (await this.#read(question, prompt, isHidden)) || initial;
      const answer = initial !== '' && typed === nothingWord ? '' : typed;
      const problem = validate?.(answer);
      if (problem !== undefined) {
        this.#say(problem);
        continue;
      }
      const meaning = answer === initial ? undefined : understood?.(answer);
      if (meaning !== undefined) this.#say(`  = ${meaning}`);
      return answer;
    }
  }

  /** Returns the entries that match a part of a name, once there are some and few enough to show. */
  async #findChoices<Value>(question: ListQuestion<Value>, part: string): Promise<readonly Choice<Value>[]> {
    const { entries, message } = question;
    let typed = part;
    let failure: unknown;
    const stop = entries.onChange((reason) => {
      failure ??= reason;
    });
    try {
      for (;;) {
        await entries.want(typed, maxListed + 1);
        if (failure !== undefined) throw failure;
        const choices = entries.matching(typed);
        if (choices.length > 0 && choices.length <= maxListed) return choices;
        this.#say(choices.length === 0 ? 'Nothing found.' : `${entries.status(typed)}: too many to list.`);
        typed = await this.#read(question, `${message} (part of the name): `);
      }
    } finally {
      stop();
    }
  }

  /** Returns the choice with the number that was typed, or the part of a name that was typed instead. */
  async #readChoice<Value>(
    question: Question,
    choices: readonly Choice<Value>[],
    usual: Choice<Value> | undefined,
  ): Promise<Choice<Value> | string> {
    const initially = usual === undefined ? '' : ` [${choices.indexOf(usual) + 1}]`;
    for (;;) {
      const answer = (await this.#read(question, `Number, or part of the name${initially}: `)).trim();
      const isNumber = /^\d+$/.test(answer);
      if (answer !== '' && !isNumber) return answer;
      const choice = isNumber ? choices[Number(answer) - 1] : usual;
      if (choice !== undefined) return choice;
      this.#say(`Type a number from 1 to ${choices.length}.`);
    }
  }

  /** Returns undefined if Enter alone keeps everything unchanged. */
  async #readNumbers(
    question: Question,
    count: number,
    { required, keeps }: { required: boolean; keeps: string },
  ): Promise<number[] | undefined> {
    for (;;) {
      const answer = (await this.#read(question, `Numbers, separated by commas${keeps}: `)).trim();
      if (answer === '' && keeps !== '') return undefined;
      const parts = answer === nothingWord ? [] : answer.split(',').map((part) => part.trim());
      const numbers = parts.filter(Boolean).map((part) => (/^\d+$/.test(part) ? Number(part) : 0));
      const isRight = numbers.every((number) => number >= 1 && number <= count);
      if (isRight && (numbers.length > 0 || !required)) return numbers;
      this.#say(`Type numbers from 1 to ${count}.`);
    }
  }

  #say(text: string): void {
    this.#streams.stderr.write(`${text}\n`);
  }

  #introduce({ problem, hint, canGoBack }: Question): void {
    if (problem !== undefined) this.#say(problem);
    if (hint) this.#say(`  ${hint}`);
    if (canGoBack) this.#say(`  ${backWord} to go back.`);
  }

  async #read({ canGoBack }: Question, prompt: string, isHidden = false): Promise<string> {
    const answer = await readLine(this.#streams, prompt, isHidden);
    if (canGoBack && answer.trim() === backWord) throw new WentBack();
    return answer;
  }
}

/** Reads a line. The terminal edits and echoes it, unless the line is hidden. */
async function readLine({ stdin, stderr }: Streams, prompt: string, isHidden: boolean): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: isHidden });
  stderr.write(prompt);
  let leave = () => {};
  try {
    return await new Promise((resolve, reject) => {
      leave = () => {
        stderr.write('\n');
        reject(canceled());
      };
      lines.once('line', (line) => {
        if (isHidden) stderr.write('\n');
        resolve(line);
      });
      lines.once('SIGINT', leave);
      lines.once('close', leave);
      process.once('SIGINT', leave);
    });
  } finally {
    process.off('SIGINT', leave);
    lines.off('close', leave).close();
  }
}
