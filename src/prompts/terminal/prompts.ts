/**
 * Asks questions at the terminal, on stderr and stdin. Each function throws a Failure: `usage` if there is no terminal
 * to ask on, `interrupted` after Ctrl-C or Ctrl-D. A question that can go back throws `WentBack` after Esc.
 */
import { usage } from '../../base/errors.ts';
import { cleanLine, inAscii } from '../../terminal/clean.ts';
import type { Streams } from '../../terminal/streams.ts';
import {
  type Asker,
  type Choice,
  type ChoiceQuestion,
  type ConfirmQuestion,
  type Entries,
  type FieldQuestion,
  fixedEntries,
  type PickQuestion,
  type Question,
  type SeveralFromList,
  type SeveralQuestion,
  type SheetQuestion,
  type TextQuestion,
} from './questions.ts';

/** Asks yes or no; Enter alone means no, unless `initial` is true. */
export async function confirm(streams: Streams, question: ConfirmQuestion): Promise<boolean> {
  const asking = await asker(streams);
  return asking.confirm({ ...cleanQuestion(streams, question), initial: question.initial ?? false });
}

/** Asks for a line of text. */
export async function ask(streams: Streams, question: TextQuestion): Promise<string> {
  const { cleaned, restored } = cleanTextQuestion(streams, question);
  return restored(await (await asker(streams)).ask(cleaned));
}

/** Asks for the text of a field, and shows how it is read while it is typed. */
export async function askField(streams: Streams, question: FieldQuestion): Promise<string> {
  const { cleaned, restored } = cleanTextQuestion(streams, question);
  return restored(await (await asker(streams)).askField(cleaned));
}

/** Asks for a secret: nothing of the answer is shown. */
export async function askHidden(streams: Streams, question: Omit<TextQuestion, 'initial'>): Promise<string> {
  return (await asker(streams)).askHidden(cleanTextQuestion(streams, question).cleaned);
}

/** Asks for one of a few choices. */
export async function choose<Value>(streams: Streams, question: ChoiceQuestion<Value>): Promise<Value> {
  const choices = question.choices.map((choice) => cleanChoice(streams, choice));
  return (await asker(streams)).choose({ ...cleanQuestion(streams, question), choices });
}

/** Asks for any number of a few choices. Returns them in their order. */
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

/** Asks for one entry of a list, which may still be loading; typing searches it. */
export async function pick<Value>(streams: Streams, question: PickQuestion<Value>): Promise<Value> {
  const entries = cleanEntries(streams, question.entries);
  const typed = cleaned(streams, question.typed);
  return (await asker(streams)).pick({ ...cleanQuestion(streams, question), typed, entries });
}

/** Asks for any number of entries of a list; those chosen before come first. */
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

/** Asks for a text for each of several rows. */
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

/** Returns the prompts for this terminal. Throws if there is no one to ask. */
async function asker(streams: Streams): Promise<Asker> {
  if (!streams.interactive) {
    throw usage("A value is missing, and boh can't prompt for it: no terminal, CI is set, or --no-input.", {
      hint: 'Pass all values as flags. To list them: --help',
    });
  }
  return (await import('./full-prompts.ts')).promptsFor(streams);
}

function cleanQuestion<Questioned extends Question>(streams: Streams, question: Questioned): Questioned {
  const { message, hint, problem } = question;
  return {
    ...question,
    message: clean(streams, message),
    hint: cleaned(streams, hint),
    problem: cleaned(streams, problem),
  };
}

/** Cleans the texts of a question. `restored` returns the original initial text if its cleaned form is the answer. */
function cleanTextQuestion<Questioned extends FieldQuestion>(
  streams: Streams,
  question: Questioned,
): { cleaned: Questioned; restored: (answer: string) => string } {
  const { initial, validate, understood } = question;
  const shown = cleaned(streams, initial);
  const restored = (answer: string) => (initial !== undefined && answer === shown ? initial : answer);
  return {
    cleaned: {
      ...cleanQuestion(streams, question),
      ...(shown !== undefined && { initial: shown }),
      ...(validate && { validate: (answer: string) => cleaned(streams, validate(restored(answer))) }),
      ...(understood && { understood: (answer: string) => cleaned(streams, understood(restored(answer))) }),
    },
    restored,
  };
}

/** Cleans entries, each only once even if it is drawn often. */
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
    matching: (typed) => {
      const found = entries.matching(typed);
      if (found !== before) [before, shown] = [found, found.map(once)];
      return shown;
    },
    status: (typed) => clean(streams, entries.status(typed)),
    isWhole: (typed) => entries.isWhole(typed),
    want: (typed, count) => entries.want(typed, count),
    onChange: (listener) => entries.onChange(listener),
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
