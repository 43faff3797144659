/** Questions to the person at the terminal, asked on stderr and answered on stdin. */
import { Failure, usage } from '../errors.ts';
import { cleanLine } from './clean.ts';
import type { Streams } from './streams.ts';

export interface Choice<Value> {
  value: Value;
  label: string;
  description?: string;
}

/** What is wrong with an answer, or nothing where it will do. */
export type Validate = (answer: string) => string | undefined;

export interface Question {
  message: string;
}

export interface TextQuestion extends Question {
  initial?: string;
  validate?: Validate;
}

export interface ChoiceQuestion<Value> extends Question {
  choices: readonly Choice<Value>[];
  initial?: Value;
}

export interface SearchQuestion<Value> extends Question {
  /** The choices for what has been typed so far, which is '' at first. */
  source(term: string, signal: AbortSignal): Promise<readonly Choice<Value>[]>;
}

export function confirm(
  streams: Streams,
  { message, initial = false }: Question & { initial?: boolean },
): Promise<boolean> {
  return prompting(streams, async ({ confirm }, context) =>
    confirm({ message: cleanLine(message), default: initial }, context),
  );
}

export function ask(streams: Streams, { message, initial, validate }: TextQuestion): Promise<string> {
  return prompting(streams, async ({ input }, context) =>
    input(
      {
        message: cleanLine(message),
        ...(initial === undefined ? {} : { default: cleanLine(initial) }),
        validate: (answer) => verdict(validate, answer),
      },
      context,
    ),
  );
}

/** For secrets: nothing of the answer is shown. */
export function askHidden(
  streams: Streams,
  { message, validate }: Omit<TextQuestion, 'initial'>,
): Promise<string> {
  return prompting(streams, async ({ password }, context) =>
    password(
      {
        message: cleanLine(message),
        mask: false,
        toggleMask: false,
        validate: (answer) => verdict(validate, answer),
      },
      context,
    ),
  );
}

export function choose<Value>(
  streams: Streams,
  { message, choices, initial }: ChoiceQuestion<Value>,
): Promise<Value> {
  return prompting(streams, async ({ select }, context) =>
    select<Value>(
      {
        message: cleanLine(message),
        choices: choices.map(shown),
        ...(initial === undefined ? {} : { default: initial }),
      },
      context,
    ),
  );
}

/** Search as you type. */
export function search<Value>(streams: Streams, { message, source }: SearchQuestion<Value>): Promise<Value> {
  return prompting(streams, async ({ search }, context) =>
    search<Value>(
      {
        message: cleanLine(message),
        source: async (term, { signal }) => (await source(term ?? '', signal)).map(shown),
      },
      context,
    ),
  );
}

type Prompts = typeof import('@inquirer/prompts');
interface Context {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

async function prompting<Answer>(
  streams: Streams,
  run: (prompts: Prompts, context: Context) => Promise<Answer>,
): Promise<Answer> {
  if (!streams.interactive) {
    throw usage('There is no terminal to ask on, or asking is switched off.', {
      hint: 'Give the missing values on the command line; see --help.',
    });
  }
  const prompts = await import('@inquirer/prompts');
  try {
    return await run(prompts, { input: streams.stdin, output: streams.stderr });
  } catch (error) {
    if (error instanceof Error && error.name === 'ExitPromptError') {
      throw new Failure('interrupted', 'You ended the question; nothing was sent.');
    }
    throw error;
  }
}

function shown<Value>({ value, label, description }: Choice<Value>) {
  return {
    value,
    name: cleanLine(label),
    ...(description === undefined ? {} : { description: cleanLine(description) }),
  };
}

function verdict(validate: Validate | undefined, answer: string): string | true {
  const problem = validate?.(answer);
  return problem === undefined ? true : cleanLine(problem);
}
