/**
 * Questions to the person at the terminal, asked on stderr and answered on stdin. Each throws a Failure:
 * `usage` where nobody can be asked, `interrupted` where the person ends it with Ctrl-C or Ctrl-D. One that may go
 * back throws `WentBack` where the person wants the question before it.
 */
import { usage } from '../errors.ts';
import { cleanLine, inAscii } from './clean.ts';
import { fixedEntries, foundEntries } from './entries.ts';
import type {
  Asker,
  Choice,
  ChoiceQuestion,
  ConfirmQuestion,
  Entries,
  ListQuestion,
  Question,
  SearchQuestion,
  SeveralFromList,
  SeveralQuestion,
  SheetQuestion,
  TextQuestion,
} from './questions.ts';
import type { Streams } from './streams.ts';

/** Yes or no; Enter alone means no, unless `initial` is true. */
export async function confirm(streams: Streams, question: ConfirmQuestion): Promise<boolean> {
  const asking = await asker(streams);
  return asking.confirm({ ...cleanQuestion(streams, question), initial: question.initial ?? false });
}

/** A line of text. */
export async function ask(streams: Streams, question: TextQuestion): Promise<string> {
  const { initial } = question;
  const asking = await asker(streams);
  if (initial === undefined) return asking.ask(cleanTextQuestion(streams, question));
  const shown = clean(streams, initial);
  const restored = (answer: string) => (answer === shown ? initial : answer);
  const { validate, understood } = question;
  const answer = await asking.ask({
    ...cleanTextQuestion(streams, {
      ...question,
      ...(validate && { validate: (text: string) => validate(restored(text)) }),
      ...(understood && { understood: (text: string) => understood(restored(text)) }),
    }),
    initial: shown,
  });
  return restored(answer);
}

/** A secret: nothing of the answer is shown. */
export async function askHidden(streams: Streams, question: Omit<TextQuestion, 'initial'>): Promise<string> {
  return (await asker(streams)).askHidden(cleanTextQuestion(streams, question));
}

/** One of a few. */
export async function choose<Value>(
  streams: Streams,
  { choices, ...question }: ChoiceQuestion<Value>,
): Promise<Value> {
  return pick(streams, { ...question, entries: fixedEntries(choices) });
}

/** Any number of a few, in their order. */
export async function chooseSeveral<Value>(
  streams: Streams,
  { choices, isChosen = () => false, ...question }: SeveralQuestion<Value>,
): Promise<Value[]> {
  const chosen = await pickSeveral(streams, {
    ...question,
    entries: fixedEntries(choices),
    chosen: choices.filter(({ value }) => isChosen(value)),
  });
  return choices.flatMap(({ value }) => (chosen.includes(value) ? [value] : []));
}

/** One of what a source answers to the text as it is typed. */
export async function search<Value>(
  streams: Streams,
  { source, ...question }: Question & SearchQuestion<Value>,
): Promise<Value> {
  return pick(streams, { ...question, entries: foundEntries(source) });
}

/** One of a list, which may be longer than what is known of it yet. */
export async function pick<Value>(
  streams: Streams,
  question: ListQuestion<Value> & { initial?: Value | undefined },
): Promise<Value> {
  const entries = cleanEntries(streams, question.entries);
  const typed = cleaned(streams, question.typed);
  return (await asker(streams)).pick({ ...cleanQuestion(streams, question), typed, entries });
}

/** Any number of them; those that were chosen before come first, in no particular order otherwise. */
export async function pickSeveral<Value>(
  streams: Streams,
  question: SeveralFromList<Value>,
): Promise<Value[]> {
  const { chosen = [], entries } = question;
  return (await asker(streams)).pickSeveral({
    ...cleanQuestion(streams, question),
    entries: cleanEntries(streams, entries),
    chosen: chosen.map((choice) => cleanChoice(streams, choice)),
  });
}

/** A text for each of several lines. */
export async function fillSheet(streams: Streams, question: SheetQuestion): Promise<string[]> {
  const { rows, columns, header, validate } = question;
  return (await asker(streams)).fillSheet({
    ...cleanQuestion(streams, question),
    header: clean(streams, header),
    columns: columns.map((column) => clean(streams, column)),
    rows: rows.map(({ id, label, cells, initial, problem }) => ({
      id,
      label: clean(streams, label),
      cells: cells.map((cell) => clean(streams, cell)),
      initial: clean(streams, initial),
      problem: cleaned(streams, problem),
    })),
    validate: (text, row) => cleaned(streams, validate(text, row)),
  });
}

/** The library redraws lines as one types, which a dumb terminal can't show. */
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
  const { message, hint, problem } = question;
  return {
    ...question,
    message: clean(streams, message),
    hint: cleaned(streams, hint),
    problem: cleaned(streams, problem),
  };
}

function cleanTextQuestion<Asked extends TextQuestion>(streams: Streams, question: Asked): Asked {
  const { validate, understood } = question;
  return {
    ...cleanQuestion(streams, question),
    ...(validate && { validate: (answer: string) => cleaned(streams, validate(answer)) }),
    ...(understood && { understood: (answer: string) => cleaned(streams, understood(answer)) }),
  };
}

/** Each choice is cleaned once, however often it is drawn. */
function cleanEntries<Value>(streams: Streams, entries: Entries<Value>): Entries<Value> {
  const made = new WeakMap<Choice<Value>, Choice<Value>>();
  const once = (choice: Choice<Value>) => {
    const clean = made.get(choice) ?? cleanChoice(streams, choice);
    made.set(choice, clean);
    return clean;
  };
  let before: readonly Choice<Value>[] = [];
  let shown: readonly Choice<Value>[] = [];
  return {
    ...entries,
    matching: (typed) => {
      const found = entries.matching(typed);
      if (found !== before) [before, shown] = [found, found.map(once)];
      return shown;
    },
    status: (typed) => clean(streams, entries.status(typed)),
  };
}

function cleanChoice<Value>(streams: Streams, choice: Choice<Value>): Choice<Value> {
  const { label, description } = choice;
  const shown = { ...choice, label: clean(streams, label), key: choice.key ?? label };
  return description === undefined ? shown : { ...shown, description: clean(streams, description) };
}

function cleaned(streams: Streams, text: string | undefined): string | undefined {
  return text === undefined ? undefined : clean(streams, text);
}

function clean({ unicode }: Streams, text: string): string {
  const line = cleanLine(text);
  return unicode ? line : inAscii(line);
}
