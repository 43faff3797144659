/** Questions for terminals that can't move their cursor (TERM=dumb): a line out, a line in. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import {
  type Asker,
  type Choice,
  interrupted,
  type ListQuestion,
  type Question,
  type TextQuestion,
  WentBack,
} from './questions.ts';
import type { Streams } from './streams.ts';

/** Typed alone it leads to the question before; and it empties what would be taken by Enter alone. */
const backWord = '<';
const nothingWord = '-';
/** Ends a sheet before its last line. */
const stopWord = '.';

/** As many choices as one reads before typing more of a name. */
const mostListed = 50;

export function plainPrompts(streams: Streams): Asker {
  const say = (text: string) => streams.stderr.write(`${text}\n`);

  async function read({ canGoBack }: Question, prompt: string, hidden = false): Promise<string> {
    const answer = await readLine(streams, prompt, hidden);
    if (canGoBack && answer.trim() === backWord) throw new WentBack();
    return answer;
  }

  function introduce({ problem, hint, canGoBack }: Question): void {
    if (problem !== undefined) say(problem);
    if (hint) say(`  ${hint}`);
    if (canGoBack) say(`  ${backWord} goes back.`);
  }

  async function askText(question: TextQuestion, hidden: boolean): Promise<string> {
    const { message, initial = '', validate, understood } = question;
    introduce(question);
    const empties = initial === '' ? '' : `, ${nothingWord} for nothing`;
    const prompt = initial === '' ? `${message}: ` : `${message} [${initial}${empties}]: `;
    for (;;) {
      const typed = (await read(question, prompt, hidden)) || initial;
      const answer = initial !== '' && typed === nothingWord ? '' : typed;
      const problem = validate?.(answer);
      if (problem !== undefined) {
        say(problem);
        continue;
      }
      const meaning = answer === initial ? undefined : understood?.(answer);
      if (meaning !== undefined) say(`  = ${meaning}`);
      return answer;
    }
  }

  /** The entries for a part of a name, once there are any; all where the list is short. */
  async function listed<Value>(
    question: ListQuestion<Value>,
    first = question.typed ?? '',
  ): Promise<readonly Choice<Value>[]> {
    const { entries, message } = question;
    let typed = first;
    let failure: unknown;
    const stop = entries.onChange((reason) => {
      failure ??= reason;
    });
    try {
      for (;;) {
        await entries.want(typed, mostListed + 1);
        if (failure !== undefined) throw failure;
        const choices = entries.matching(typed);
        if (choices.length > 0 && choices.length <= mostListed) return choices;
        say(choices.length === 0 ? 'Nothing found.' : `${entries.status(typed)}: more than can be listed.`);
        typed = await read(question, `${message} (part of the name): `);
      }
    } finally {
      stop();
    }
  }

  /** Undefined where Enter alone leaves everything as it is. */
  async function readNumbers(
    question: Question,
    count: number,
    required: boolean,
    keeps: string,
  ): Promise<number[] | undefined> {
    for (;;) {
      const answer = (await read(question, `Numbers, with commas between them${keeps}: `)).trim();
      if (answer === '' && keeps !== '') return undefined;
      const parts = answer === nothingWord ? [] : answer.split(',').map((part) => part.trim());
      const numbers = parts.filter(Boolean).map((part) => (/^\d+$/.test(part) ? Number(part) : 0));
      const isRight = numbers.every((number) => number >= 1 && number <= count);
      if (isRight && (numbers.length > 0 || !required)) return numbers;
      say(`Type numbers from 1 to ${count}.`);
    }
  }

  return {
    async confirm(question) {
      const { message, initial } = question;
      introduce(question);
      for (;;) {
        const answer = (await read(question, `${message} [${initial ? 'Y/n' : 'y/N'}]: `))
          .trim()
          .toLowerCase();
        if (answer === '') return initial;
        if ('yes'.startsWith(answer)) return true;
        if ('no'.startsWith(answer)) return false;
        say('Answer yes or no.');
      }
    },

    ask: (question) => askText(question, false),
    askHidden: (question) => askText(question, true),

    async pick(question) {
      const { initial, message } = question;
      say(message);
      introduce(question);
      let choices = await listed(question);
      for (;;) {
        const usual = choices.find(({ value }) => initial !== undefined && value === initial);
        for (const [index, { label }] of choices.entries()) say(`  ${index + 1}) ${label}`);
        const initially = usual === undefined ? '' : ` [${choices.indexOf(usual) + 1}]`;
        let answer = '';
        for (;;) {
          answer = (await read(question, `Number, or part of the name${initially}: `)).trim();
          const chosen = answer === '' ? usual : byNumber(choices, answer);
          if (chosen !== undefined) return chosen.value;
          if (answer !== '' && !/^\d+$/.test(answer)) break;
          say(`Type a number from 1 to ${choices.length}.`);
        }
        choices = await listed(question, answer);
      }
    },

    async pickSeveral(question) {
      const { message, required = false, chosen = [], entries } = question;
      say(message);
      introduce(question);
      const taken = new Map(chosen.map((choice) => [keyOf(choice), choice]));
      for (let choices = await listed(question); ; ) {
        for (const [index, choice] of choices.entries()) {
          say(
            `  ${index + 1}) ${taken.has(keyOf(choice)) ? '[x] ' : taken.size > 0 ? '[ ] ' : ''}${choice.label}`,
          );
        }
        const keeps = taken.size > 0 ? ` (Enter keeps what is marked, ${nothingWord} for none)` : '';
        const numbers = await readNumbers(question, choices.length, required && taken.size === 0, keeps);
        if (numbers?.length === 0) taken.clear();
        if (numbers) {
          for (const choice of choices) taken.delete(keyOf(choice));
          for (const number of numbers) {
            const choice = choices[number - 1];
            if (choice) taken.set(keyOf(choice), choice);
          }
        }
        // All are listed where there are few; else others can be looked for.
        const more =
          choices.length < entries.matching('').length || !entries.isWhole('')
            ? await read(question, 'More of them (part of the name; Enter for no more): ')
            : '';
        if (more.trim() === '') return [...taken.values()].map(({ value }) => value);
        choices = await listed(question, more.trim());
      }
    },

    async fillSheet(question) {
      const { message, rows, header, columns, validate } = question;
      say(message);
      introduce(question);
      say(`  ${stopWord} in the place of an answer leaves the others as they are.`);
      const texts = rows.map(({ initial }) => initial);
      for (let row = 0; row < rows.length; row++) {
        const { label = '', cells = [], problem } = rows[row] ?? {};
        const aside = cells.flatMap((cell, index) => (cell === '' ? [] : `${columns[index]} ${cell}`));
        try {
          const text = await askText(
            {
              message: `${[label, ...aside].join(', ')}, ${header}`,
              problem,
              initial: texts[row] ?? '',
              validate: (typed) => (typed === stopWord ? undefined : validate(typed, row)),
              canGoBack: question.canGoBack || row > 0,
            },
            false,
          );
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
    },
  };
}

function keyOf({ key, label }: Choice<unknown>): string {
  return key ?? label;
}

function byNumber<Value>(choices: readonly Choice<Value>[], typed: string): Choice<Value> | undefined {
  return /^\d+$/.test(typed) ? choices[Number(typed) - 1] : undefined;
}

/** The terminal itself edits and echoes the line, unless it is hidden: then nothing is echoed at all. */
async function readLine({ stdin, stderr }: Streams, prompt: string, hidden = false): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: hidden });
  stderr.write(prompt);
  let leave = () => {};
  try {
    return await new Promise((resolve, reject) => {
      leave = () => {
        stderr.write('\n');
        reject(interrupted());
      };
      lines.once('line', (line) => {
        if (hidden) stderr.write('\n');
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
