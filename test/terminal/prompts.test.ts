import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { promptsFor } from '../../src/cli/prompts/terminal/prompts.ts';
import {
  BackRequested,
  type Choice,
  type ChoiceQuestion,
  type ConfirmQuestion,
  type Entries,
  type FieldQuestion,
  type PickQuestion,
  type PickSeveralQuestion,
  type TextQuestion,
} from '../../src/cli/prompts/terminal/questions.ts';
import type { Streams } from '../../src/cli/terminal/streams.ts';
import { dangerous, type FakeStreams, fakeStreams, hostileTexts } from './fake-streams.ts';

const enter = '\r';
const down = '\x1b[B';
const ctrlC = '\x03';
const ctrlD = '\x04';

const confirm = async (streams: Streams, question: ConfirmQuestion) =>
  (await promptsFor(streams)).confirm(question);
const ask = async (streams: Streams, question: TextQuestion) => (await promptsFor(streams)).ask(question);
const askField = async (streams: Streams, question: FieldQuestion) =>
  (await promptsFor(streams)).askField(question);
const askHidden = async (streams: Streams, question: TextQuestion) =>
  (await promptsFor(streams)).askHidden(question);
const choose = async (streams: Streams, question: ChoiceQuestion<number>) =>
  (await promptsFor(streams)).choose(question);
const pick = async (streams: Streams, question: PickQuestion<number>) =>
  (await promptsFor(streams)).pick(question);
const pickSeveral = async (streams: Streams, question: PickSeveralQuestion<number>) =>
  (await promptsFor(streams)).pickSeveral(question);

const choices = [
  { value: 1, label: 'Draft' },
  { value: 2, label: 'Closed' },
];

/** Types `keys` once the question has been drawn. */
async function typeInto<Answer>(
  streams: FakeStreams,
  question: Promise<Answer>,
  keys: string,
): Promise<Answer> {
  question.catch(() => {});
  await new Promise((resolve) => streams.stderr.once('readable', resolve));
  await new Promise(setImmediate);
  streams.stdin.write(keys);
  return question;
}

/** Waits until `text` is shown, and returns the output until then. */
async function waitForText(streams: FakeStreams, text: string): Promise<string> {
  let output = '';
  while (!output.includes(text)) {
    output += stripVTControlCharacters(streams.written.err());
    await new Promise(setImmediate);
  }
  return output;
}

function failureOf(question: Promise<unknown>): Promise<unknown> {
  return question.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each([
  ['a terminal', { cursor: true }],
  ['a dumb terminal', { cursor: false }],
])('prompts on %s', (_kind, settings: Partial<Streams>) => {
  test('confirmation: accepts yes, no, or Enter for the default', async () => {
    const question = { message: 'Delete 3 suppliers?' };
    const answer = (keys: string, initial?: boolean) => {
      const streams = fakeStreams(settings);
      return typeInto(
        streams,
        confirm(streams, initial === undefined ? question : { ...question, initial }),
        keys + enter,
      );
    };
    expect(await answer('y')).toBe(true);
    expect(await answer('no')).toBe(false);
    expect(await answer('')).toBe(false);
    expect(await answer('', true)).toBe(true);
  });

  test('text: the prompt is repeated until the answer is valid', async () => {
    const streams = fakeStreams(settings);
    const validate = (answer: string) => (answer.length < 3 ? 'That is too short.' : undefined);
    const question = ask(streams, { message: 'Name', validate });
    question.catch(() => {});
    await waitForText(streams, 'Name');
    streams.stdin.write(`ab${enter}`);
    await waitForText(streams, 'That is too short.');
    streams.stdin.write(settings.cursor ? `cd${enter}` : `abcd${enter}`);
    expect(await question).toBe('abcd');
  });

  test('text: Enter accepts the suggestion unchanged', async () => {
    const streams = fakeStreams(settings);
    expect(await typeInto(streams, ask(streams, { message: 'Name', initial: 'a\x1bb' }), enter)).toBe(
      'a\x1bb',
    );
    expect(streams.written.err()).toContain('a␛b');
  });

  test('secret: is not displayed', async () => {
    const streams = fakeStreams(settings);
    expect(await typeInto(streams, askHidden(streams, { message: 'Client secret' }), `hunter2${enter}`)).toBe(
      'hunter2',
    );
    expect(streams.written.err()).not.toContain('hunter2');
  });

  test('select: returns one of several choices', async () => {
    const streams = fakeStreams(settings);
    const keys = settings.cursor ? down + enter : `2${enter}`;
    expect(await typeInto(streams, choose(streams, { message: 'Status', choices }), keys)).toBe(2);
    const streamsWithInitial = fakeStreams(settings);
    expect(
      await typeInto(
        streamsWithInitial,
        choose(streamsWithInitial, { message: 'Status', choices, initial: 2 }),
        enter,
      ),
    ).toBe(2);
  });

  test('multi-select: returns several choices in the order in which they were chosen', async () => {
    const chooseWith = (keys: string, required = false) => {
      const streams = fakeStreams(settings);
      return typeInto(streams, pickSeveral(streams, { message: 'Status', entries: choices, required }), keys);
    };
    expect(await chooseWith(settings.cursor ? `${down} ${down} ${enter}` : `2, 1${enter}`)).toEqual([2, 1]);
    expect(await chooseWith(settings.cursor ? `${down} ${enter}` : `2${enter}`, true)).toEqual([2]);
    expect(await chooseWith(enter)).toEqual([]);
  });

  test('multi-select with a minimum: requires at least one choice', async () => {
    const streams = fakeStreams(settings);
    const question = pickSeveral(streams, { message: 'Status', entries: choices, required: true });
    question.catch(() => {});
    await waitForText(streams, settings.cursor ? 'Space to choose' : 'Numbers');
    streams.stdin.write(settings.cursor ? enter : `3${enter}`);
    await waitForText(streams, settings.cursor ? 'Choose at least one' : 'Type numbers from 1 to 2.');
    streams.stdin.write(settings.cursor ? ` ${enter}` : `1${enter}`);
    expect(await question).toEqual([1]);
  });

  test('search: returns one of many choices', async () => {
    const streams = fakeStreams(settings);
    const many = Array.from({ length: 100 }, (_, index) => ({ value: index, label: `Supplier ${index}` }));
    const question = pick(streams, { message: 'Which one?', entries: many });
    question.catch(() => {});
    await waitForText(streams, 'Which one?');
    streams.stdin.write(settings.cursor ? '42' : `42${enter}`);
    await waitForText(streams, 'Supplier 42');
    streams.stdin.write(settings.cursor ? enter : `1${enter}`);
    expect(await question).toBe(42);
  });

  test('text of a field: shows how it is parsed', async () => {
    const streams = fakeStreams(settings);
    const formatQuantity = (answer: string) => `${Number(answer)} kg`;
    const question = askField(streams, { message: 'Quantity', previewValue: formatQuantity });
    question.catch(() => {});
    await waitForText(streams, 'Quantity');
    streams.stdin.write(settings.cursor ? '2.50' : `2.50${enter}`);
    await waitForText(streams, '= 2.5 kg');
    if (settings.cursor) streams.stdin.write(enter);
    expect(await question).toBe('2.50');
  });

  type Ask = (streams: Streams, question: { message: string; canGoBack: boolean }) => Promise<unknown>;
  test.each<[string, Ask]>([
    ['a confirmation', confirm],
    ['a secret', askHidden],
    ['a choice', (streams, question) => choose(streams, { ...question, choices })],
    ['a text', ask],
  ])('%s: Escape returns to the previous question', async (_kind, askQuestion) => {
    const streams = fakeStreams(settings);
    const question = askQuestion(streams, { message: 'Continue?', canGoBack: true });
    const failure = await failureOf(typeInto(streams, question, settings.cursor ? '\x1b' : `<${enter}`));
    expect(failure).toBeInstanceOf(BackRequested);
  });

  test.each([
    ['Ctrl-C', ctrlC],
    ['Ctrl-D', ctrlD],
  ])('%s cancels the question', async (_key, key) => {
    const streams = fakeStreams(settings);
    // A dumb terminal is in line mode: the system handles the keys, except in a hidden answer.
    const question = settings.cursor
      ? ask(streams, { message: 'Name' })
      : askHidden(streams, { message: 'Name' });
    const failure = await failureOf(typeInto(streams, question, key));
    expect(failure).toMatchObject({ category: 'interrupted', exitCode: 130 });
    expect(String(failure)).toContain('Canceled. Nothing was sent.');
  });

  test('end of input: cancels the prompt', async () => {
    const streams = fakeStreams(settings);
    const question = ask(streams, { message: 'Name' });
    const failure = failureOf(question);
    await new Promise((resolve) => streams.stderr.once('readable', resolve));
    streams.stdin.end();
    expect(await failure).toMatchObject({ category: 'interrupted' });
  });

  test('control characters: are never displayed', async () => {
    const text = Object.values(hostileTexts).join('');
    const streams = fakeStreams(settings);
    const question = choose(streams, {
      message: text,
      choices: [{ value: 1, label: text, description: text }],
    });
    await typeInto(streams, question, settings.cursor ? enter : `1${enter}`);
    // The rest are the prompt's own cursor sequences.
    expect(stripVTControlCharacters(streams.written.err()).replaceAll(/\r?\n/g, '')).not.toMatch(dangerous);
  });
});

test('a wrong number on a dumb terminal: is asked for again in the same entries', async () => {
  const streams = fakeStreams({ cursor: false });
  const many = Array.from({ length: 100 }, (_, index) => ({ value: index, label: `Supplier ${index}` }));
  const question = pick(streams, { message: 'Which one?', entries: many });
  question.catch(() => {});
  await waitForText(streams, 'part of the name');
  streams.stdin.write(`42${enter}`);
  await waitForText(streams, '1) Supplier 42');
  streams.stdin.write(`9${enter}`);
  await waitForText(streams, 'Type a number from 1 to 1.');
  streams.stdin.write(`1${enter}`);
  expect(await question).toBe(42);
});

describe('list that is still loading', () => {
  const loading = (failure: Failure | undefined, status = '') => {
    const streams = fakeStreams();
    const entries: Entries<number> = {
      findMatches: (): readonly Choice<number>[] => [],
      status: () => status,
      isComplete: () => false,
      load: async () => {},
      onChange: (listener) => {
        if (failure) setImmediate(() => listener(failure));
        return () => {};
      },
    };
    return { streams, question: pick(streams, { message: 'Supplier', entries }) };
  };

  test('failure: ends the prompt with the failure', async () => {
    const failure = new Failure('not_signed_in', 'The service refused the token.');
    expect(await failureOf(loading(failure).question)).toBe(failure);
  });

  test('status: is shown without control characters', async () => {
    const { streams, question } = loading(undefined, 'No connection\x1b[2J.');
    const failure = failureOf(question);
    await waitForText(streams, 'No connection␛[2J.');
    streams.stdin.write(ctrlC);
    expect(await failure).toMatchObject({ category: 'interrupted' });
  });
});

test('prompts without color and UTF-8: write no styles and only ASCII symbols', async () => {
  const streams = fakeStreams({ unicode: false });
  await typeInto(streams, choose(streams, { message: 'Status', choices }), enter);
  const output = streams.written.err();
  expect(output).not.toContain('[1m');
  expect(output).toMatch(/^\p{ASCII}*$/u);
});

test('prompts without a terminal: fail with a clear message', async () => {
  const streams = fakeStreams({ interactive: false });
  const failure = await failureOf(confirm(streams, { message: 'Sure?' }));
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ category: 'usage', exitCode: 2 });
  expect(streams.written.err()).toBe('');
});
