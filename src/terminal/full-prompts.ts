/** Questions with @inquirer/prompts. Load lazily: the library takes 50 ms. */
import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import * as inquirer from '@inquirer/prompts';
import { Failure } from '../errors.ts';
import { cleanLine } from './clean.ts';
import { painter } from './colour.ts';
import { type Asker, type Choice, interrupted, type TextQuestion } from './questions.ts';
import type { Streams } from './streams.ts';

/** Milliseconds without a key before a search asks the service: it allows as few as 30 requests a minute. */
const pause = 250;

export function fullPrompts(streams: Streams): Asker {
  const theme = themeFor(streams);
  const forLists = { ...theme, ...listTheme(streams, 'Up and down to move, Enter to choose') };
  const forSeveral = { ...theme, ...listTheme(streams, 'Space to choose, Enter when you are done') };
  return {
    confirm: ({ message, initial }) =>
      answering(streams, (context) => inquirer.confirm({ message, default: initial, theme }, context)),

    ask: ({ message, initial, validate }) => {
      const { red } = painter(streams.colour.err);
      // An answer that won't do yet is red while it is typed; Enter says why.
      const transformer = (answer: string, { isFinal }: { isFinal: boolean }) =>
        answer === '' || isFinal || validate?.(answer) === undefined ? answer : red(answer);
      const config = { message, validate: verdict(validate), transformer, theme };
      return answering(streams, (context) =>
        inquirer.input(initial === undefined ? config : { ...config, default: initial }, context),
      );
    },

    askHidden: ({ message, validate }) =>
      answering(streams, (context) =>
        inquirer.password(
          {
            message,
            mask: false,
            toggleMask: false,
            validate: verdict(validate),
            theme: { ...theme, ...hiddenTheme },
          },
          context,
        ),
      ),

    choose: ({ message, choices, initial }) => {
      const config = { message, choices: choices.map((choice) => shown(choice)), theme: forLists };
      return answering(streams, (context) =>
        inquirer.select(
          { ...config, ...(initial !== undefined && { default: initial }), pageSize: pageSize(streams) },
          context,
        ),
      );
    },

    chooseSeveral: ({ message, choices, required = false }) => {
      const config = {
        message,
        choices: choices.map((choice) => shown(choice)),
        required,
        theme: forSeveral,
      };
      return answering(streams, (context) => inquirer.checkbox(config, context));
    },

    search: ({ message, source }) =>
      answering(streams, (context, end) =>
        inquirer.search(
          {
            message,
            theme: forLists,
            pageSize: pageSize(streams),
            source: async (term, { signal }) => {
              if (term !== undefined) await setTimeout(pause, undefined, { signal });
              try {
                return (await source(term ?? '', signal)).map((choice) => shown(choice));
              } catch (error) {
                if (signal.aborted) return [];
                if (isPassing(error)) return [new inquirer.Separator(cleanLine(error.message))];
                end(error);
                return [];
              }
            },
          },
          context,
        ),
      ),
  };
}

interface Context {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  signal: AbortSignal;
}

/**
 * Runs one question. The library notices Ctrl-C, but would wait forever once Ctrl-D or a closed window has
 * ended the input: its line editor then pauses stdin, which is taken as the sign.
 */
async function answering<Answer>(
  streams: Streams,
  question: (context: Context, end: (reason: unknown) => void) => Promise<Answer>,
): Promise<Answer> {
  const { stdin } = streams;
  const controller = new AbortController();
  const end = (reason: unknown) => controller.abort(reason);
  const leave = () => end(interrupted());
  const output = streams.colour.err ? streams.stderr : withoutColour(streams.stderr);
  try {
    const answer = question({ input: stdin, output, signal: controller.signal }, end);
    for (const event of inputEnds) stdin.once(event, leave);
    return await answer;
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error instanceof Error && error.name === 'ExitPromptError' ? interrupted() : error;
  } finally {
    for (const event of inputEnds) stdin.off(event, leave);
  }
}

const inputEnds = ['pause', 'end', 'close'] as const;

/** No connection or too many requests: both can be over by the next key. */
function isPassing(error: unknown): error is Failure {
  return error instanceof Failure && (error.category === 'unavailable' || error.category === 'rate_limited');
}

function shown<Value>({ value, label, description }: Choice<Value>) {
  return description === undefined ? { value, name: label } : { value, name: label, description };
}

function verdict(validate: TextQuestion['validate']): (answer: string) => string | true {
  return (answer) => validate?.(answer) ?? true;
}

/** ASCII where the locale has nothing else. */
function themeFor({ unicode, colour }: Streams) {
  const { bold } = painter(colour.err);
  if (unicode) return {};
  return {
    prefix: { idle: bold('?'), done: bold('>') },
    spinner: { interval: 120, frames: ['-', '\\', '|', '/'] },
  };
}

/** How many choices are shown at once: the question, a description and a tip need their room too. */
function pageSize({ rows }: Streams): number {
  return Math.min(15, Math.max(3, rows - 6));
}

/** For lists to choose from: words instead of key symbols. */
function listTheme({ unicode, colour }: Streams, tip: string) {
  const style = { keysHelpTip: () => painter(colour.err).dim(tip) };
  return unicode ? { style } : { style, icon: { cursor: '>', checked: '[x]', unchecked: '[ ]' } };
}

const hiddenTheme = { style: { maskedText: '[what you type stays hidden]' } };

/** The library colours by its own rules, so that --no-color needs the styles taken out again. */
function withoutColour(output: Writable & { columns?: number }): Writable {
  const plain = new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of a style
      output.write(String(chunk).replace(/\x1b\[[\d;]*m/g, ''), done);
    },
  });
  return Object.assign(plain, { isTTY: true, columns: output.columns });
}
