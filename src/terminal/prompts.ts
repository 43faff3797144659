/**
 * Questions to the person at the terminal, asked on stderr and answered on stdin. Each throws a Failure:
 * `usage` where nobody can be asked, `interrupted` where the person ends it with Ctrl-C or Ctrl-D.
 */
import { usage } from '../errors.ts';
import { cleanLine, inAscii } from './clean.ts';
import type {
  Asker,
  Choice,
  ChoiceQuestion,
  Question,
  SearchQuestion,
  SeveralQuestion,
  TextQuestion,
} from './questions.ts';
import type { Streams } from './streams.ts';

/** Yes or no; Enter alone means no, unless `initial` is true. */
export async function confirm(
  streams: Streams,
  question: Question & { initial?: boolean },
): Promise<boolean> {
  return (await asker(streams)).confirm({
    ...cleanQuestion(streams, question),
    initial: question.initial ?? false,
  });
}

/** A line of text. */
export async function ask(streams: Streams, question: TextQuestion): Promise<string> {
  const { initial } = question;
  const asking = await asker(streams);
  if (initial === undefined) return asking.ask(cleanTextQuestion(streams, question));
  const shown = clean(streams, initial);
  const answer = await asking.ask({ ...cleanTextQuestion(streams, question), initial: shown });
  return answer === shown ? initial : answer;
}

/** A secret: nothing of the answer is shown. */
export async function askHidden(streams: Streams, question: Omit<TextQuestion, 'initial'>): Promise<string> {
  return (await asker(streams)).askHidden(cleanTextQuestion(streams, question));
}

/** One of a few. */
export async function choose<Value>(streams: Streams, question: ChoiceQuestion<Value>): Promise<Value> {
  return (await asker(streams)).choose({
    ...cleanQuestion(streams, question),
    choices: question.choices.map((choice) => cleanChoice(streams, choice)),
  });
}

/** Any number of a few, in their order. */
export async function chooseSeveral<Value>(
  streams: Streams,
  question: SeveralQuestion<Value>,
): Promise<Value[]> {
  return (await asker(streams)).chooseSeveral({
    ...cleanQuestion(streams, question),
    choices: question.choices.map((choice) => cleanChoice(streams, choice)),
  });
}

/** One of many, searched for as the person types. */
export async function search<Value>(streams: Streams, question: SearchQuestion<Value>): Promise<Value> {
  return (await asker(streams)).search({
    ...cleanQuestion(streams, question),
    source: async (term, signal) =>
      (await question.source(term, signal)).map((choice) => cleanChoice(streams, choice)),
  });
}

/** @inquirer/prompts redraws lines as one types, which a dumb terminal can't show. */
async function asker(streams: Streams): Promise<Asker> {
  if (!streams.interactive) {
    throw usage('Something is missing, and there is nobody to ask: no terminal, CI, or --no-input.', {
      hint: 'Give every value on the command line; --help names the flags.',
    });
  }
  return streams.cursor
    ? (await import('./full-prompts.ts')).fullPrompts(streams)
    : (await import('./plain-prompts.ts')).plainPrompts(streams);
}

function cleanQuestion<Asked extends Question>(streams: Streams, question: Asked): Asked {
  return { ...question, message: clean(streams, question.message) };
}

function cleanTextQuestion<Asked extends TextQuestion>(streams: Streams, question: Asked): Asked {
  const { validate } = question;
  if (validate === undefined) return cleanQuestion(streams, question);
  return {
    ...cleanQuestion(streams, question),
    validate: (answer: string) => {
      const problem = validate(answer);
      return problem === undefined ? undefined : clean(streams, problem);
    },
  };
}

function cleanChoice<Value>(streams: Streams, { value, label, description }: Choice<Value>): Choice<Value> {
  const choice = { value, label: clean(streams, label) };
  return description === undefined ? choice : { ...choice, description: clean(streams, description) };
}

function clean({ unicode }: Streams, text: string): string {
  return unicode ? cleanLine(text) : inAscii(cleanLine(text));
}
