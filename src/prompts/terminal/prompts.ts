/**
 * Asks questions at the terminal, on stderr and stdin. Each function throws a Failure: `usage` if there is no terminal
 * to ask on, `interrupted` after Ctrl-C or Ctrl-D. A question that can go back throws `BackRequested` after Esc.
 */
import { usage } from '../../base/errors.ts';
import { cleanLine, toAscii } from '../../terminal/clean.ts';
import type { Streams } from '../../terminal/streams.ts';
import {
  type Choice,
  type ChoiceQuestion,
  type ConfirmQuestion,
  type Entries,
  type FieldQuestion,
  fixedEntries,
  type PickQuestion,
  type PickSeveralQuestion,
  type Prompter,
  type Question,
  type SeveralQuestion,
  type SheetQuestion,
  type TextQuestion,
} from './questions.ts';

/** Asks yes or no. Enter alone means no, unless `initial` is true. */
export async function confirm(streams: Streams, question: ConfirmQuestion): Promise<boolean> {
  const prompter = await prompterFor(streams);
  return prompter.confirm({ ...cleanQuestion(streams, question), initial: question.initial ?? false });
}

/** Asks for a line of text. */
export async function ask(streams: Streams, question: TextQuestion): Promise<string> {
  const { cleaned, originalAnswer } = cleanTextQuestion(streams, question);
  return originalAnswer(await (await prompterFor(streams)).ask(cleaned));
}

/** Asks for the text of a field, and shows the parsed value while the user types. */
export async function askField(streams: Streams, question: FieldQuestion): Promise<string> {
  const { cleaned, originalAnswer } = cleanTextQuestion(streams, question);
  return originalAnswer(await (await prompterFor(streams)).askField(cleaned));
}

/** Asks for a secret. The answer is hidden. */
export async function askHidden(streams: Streams, question: Omit<TextQuestion, 'initial'>): Promise<string> {
  return (await prompterFor(streams)).askHidden(cleanTextQuestion(streams, question).cleaned);
}

/** Asks for one of a few choices. */
export async function choose<Value>(streams: Streams, question: ChoiceQuestion<Value>): Promise<Value> {
  const choices = question.choices.map((choice) => cleanChoice(streams, choice));
  return (await prompterFor(streams)).choose({ ...cleanQuestion(streams, question), choices });
}

/** Asks for any number of a few choices. Returns the values in the order of the choices. */
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

/** Asks for one entry of a list, which may still be loading. Typing searches it. */
export async function pick<Value>(streams: Streams, question: PickQuestion<Value>): Promise<Value> {
  const entries = cleanEntries(streams, question.entries);
  const searchText = cleanOptional(streams, question.searchText);
  return (await prompterFor(streams)).pick({
    ...cleanQuestion(streams, question),
    searchText,
    entries,
  });
}

/** Asks for any number of entries of a list. */
export async function pickSeveral<Value>(
  streams: Streams,
  question: PickSeveralQuestion<Value>,
): Promise<Value[]> {
  const { chosen = [], entries } = question;
  return (await prompterFor(streams)).pickSeveral({
    ...cleanQuestion(streams, question),
    entries: cleanEntries(streams, entries),
    chosen: chosen.map((choice) => cleanChoice(streams, choice)),
  });
}

/** Asks for the text of each of several rows. */
export async function fillSheet(streams: Streams, question: SheetQuestion): Promise<string[]> {
  const { rows, columns, header, validate } = question;
  return (await prompterFor(streams)).fillSheet({
    ...cleanQuestion(streams, question),
    header: cleanText(streams, header),
    columns: columns.map((column) => cleanText(streams, column)),
    rows: rows.map(({ id, label, cells, initial, problem }) => ({
      id,
      label: cleanText(streams, label),
      cells: cells.map((cell) => cleanText(streams, cell)),
      initial: cleanText(streams, initial),
      problem: cleanOptional(streams, problem),
    })),
    validate: (text, row) => cleanOptional(streams, validate(text, row)),
  });
}

/** Returns the prompts for this terminal. Throws if there is no terminal. */
async function prompterFor(streams: Streams): Promise<Prompter> {
  if (!streams.interactive) {
    throw usage("A value is missing, and boh can't prompt for it: no terminal, CI is set, or --no-input.", {
      hint: 'Pass all values as flags. To list them: --help',
    });
  }
  return (await import('./full-prompts.ts')).promptsFor(streams);
}

function cleanQuestion<AnyQuestion extends Question>(streams: Streams, question: AnyQuestion): AnyQuestion {
  const { message, hint, problem } = question;
  return {
    ...question,
    message: cleanText(streams, message),
    hint: cleanOptional(streams, hint),
    problem: cleanOptional(streams, problem),
  };
}

/** Cleans the texts of a question. `originalAnswer` returns the original initial text if its cleaned form is the answer. */
function cleanTextQuestion<AnyQuestion extends FieldQuestion>(
  streams: Streams,
  question: AnyQuestion,
): { cleaned: AnyQuestion; originalAnswer: (answer: string) => string } {
  const { initial, validate, previewValue } = question;
  const cleanedInitial = cleanOptional(streams, initial);
  const originalAnswer = (answer: string) =>
    initial !== undefined && answer === cleanedInitial ? initial : answer;
  return {
    cleaned: {
      ...cleanQuestion(streams, question),
      ...(cleanedInitial !== undefined && { initial: cleanedInitial }),
      ...(validate && {
        validate: (answer: string) => cleanOptional(streams, validate(originalAnswer(answer))),
      }),
      ...(previewValue && {
        previewValue: (answer: string) => cleanOptional(streams, previewValue(originalAnswer(answer))),
      }),
    },
    originalAnswer,
  };
}

/** Cleans entries. Each entry is cleaned only once, even if it is drawn often. */
function cleanEntries<Value>(streams: Streams, entries: Entries<Value>): Entries<Value> {
  const cleanedChoices = new WeakMap<Choice<Value>, Choice<Value>>();
  const cleanOnce = (choice: Choice<Value>) => {
    const clean = cleanedChoices.get(choice) ?? cleanChoice(streams, choice);
    cleanedChoices.set(choice, clean);
    return clean;
  };
  let latestMatches: readonly Choice<Value>[] = [];
  let latestCleaned: readonly Choice<Value>[] = [];
  return {
    findMatches: (searchText) => {
      const matches = entries.findMatches(searchText);
      if (matches !== latestMatches) [latestMatches, latestCleaned] = [matches, matches.map(cleanOnce)];
      return latestCleaned;
    },
    status: (searchText) => cleanText(streams, entries.status(searchText)),
    isComplete: (searchText) => entries.isComplete(searchText),
    load: (searchText, count) => entries.load(searchText, count),
    onChange: (listener) => entries.onChange(listener),
  };
}

function cleanChoice<Value>(streams: Streams, choice: Choice<Value>): Choice<Value> {
  const { label, description } = choice;
  const cleanedChoice = { ...choice, label: cleanText(streams, label), key: choice.key ?? label };
  return description === undefined
    ? cleanedChoice
    : { ...cleanedChoice, description: cleanText(streams, description) };
}

function cleanOptional(streams: Streams, text: string | undefined): string | undefined {
  return text === undefined ? undefined : cleanText(streams, text);
}

function cleanText({ unicode }: Streams, text: string): string {
  const line = cleanLine(text);
  return unicode ? line : toAscii(line);
}
