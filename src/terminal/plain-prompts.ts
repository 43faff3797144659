/** Questions for terminals that can't move their cursor (TERM=dumb): a line out, a line in. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Asker, type Choice, interrupted, type TextQuestion } from './questions.ts';
import type { Streams } from './streams.ts';

export function plainPrompts(streams: Streams): Asker {
  const say = (text: string) => streams.stderr.write(`${text}\n`);

  async function askText({ message, initial, validate }: TextQuestion, hidden: boolean): Promise<string> {
    const prompt = initial === undefined ? `${message}: ` : `${message} [${initial}]: `;
    for (;;) {
      const answer = (await readLine(streams, prompt, hidden)) || (initial ?? '');
      const problem = validate?.(answer);
      if (problem === undefined) return answer;
      say(problem);
    }
  }

  /** Nothing where the person answers with Enter alone. */
  async function pick<Value>(
    choices: readonly Choice<Value>[],
    prompt: string,
  ): Promise<Choice<Value> | undefined> {
    for (const [index, { label }] of choices.entries()) say(`  ${index + 1}) ${label}`);
    for (;;) {
      const answer = (await readLine(streams, prompt)).trim();
      const chosen = /^\d+$/.test(answer) ? choices[Number(answer) - 1] : undefined;
      if (chosen !== undefined || answer === '') return chosen;
      say(`Type a number from 1 to ${choices.length}.`);
    }
  }

  return {
    async confirm({ message, initial }) {
      for (;;) {
        const answer = (await readLine(streams, `${message} [${initial ? 'Y/n' : 'y/N'}]: `))
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

    async choose({ message, choices, initial }) {
      const usual = choices.find(({ value }) => value === initial);
      const prompt = usual === undefined ? 'Number: ' : `Number [${choices.indexOf(usual) + 1}]: `;
      say(message);
      for (;;) {
        const chosen = (await pick(choices, prompt)) ?? usual;
        if (chosen !== undefined) return chosen.value;
      }
    },

    async chooseSeveral({ message, choices, required = false }) {
      say(message);
      for (const [index, { label }] of choices.entries()) say(`  ${index + 1}) ${label}`);
      for (;;) {
        const answer = await readLine(streams, 'Numbers, with commas between them: ');
        const numbers = answer
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '');
        const isWrong = numbers.some(
          (part) => !/^\d+$/.test(part) || choices[Number(part) - 1] === undefined,
        );
        if (!isWrong && (numbers.length > 0 || !required)) {
          return choices.filter((_, index) => numbers.includes(String(index + 1))).map(({ value }) => value);
        }
        say(`Type numbers from 1 to ${choices.length}.`);
      }
    },

    async search({ message, source }) {
      const { signal } = new AbortController();
      for (;;) {
        const choices = await source(await readLine(streams, `${message} (part of the name): `), signal);
        if (choices.length === 0) say('Nothing found.');
        else {
          const chosen = await pick(choices, 'Number, or Enter to search again: ');
          if (chosen !== undefined) return chosen.value;
        }
      }
    },
  };
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
