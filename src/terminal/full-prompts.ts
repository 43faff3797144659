/** Questions on a terminal that can move its cursor. Load lazily: the library takes a while. */
import { listPrompt } from './list-prompt.ts';
import { answering } from './prompt-frame.ts';
import type { Asker, Choice, ConfirmQuestion, ListQuestion, SeveralFromList } from './questions.ts';
import { sheetPrompt } from './sheet-prompt.ts';
import type { Streams } from './streams.ts';
import { textPrompt } from './text-prompt.ts';

export function fullPrompts(streams: Streams): Asker {
  const list = <Value>(
    question: ListQuestion<Value> & { initial?: Value | undefined },
    several?: SeveralFromList<Value>,
  ) =>
    answering(streams, question, (frame, context, end) => {
      const { required = false, chosen: before = [], onLeave, takesHere } = several ?? {};
      const chosen = several && {
        required,
        takesHere,
        chosen: before,
        onLeave: (left: readonly unknown[]) => onLeave?.(left as readonly Value[]),
      };
      return listPrompt({ ...question, frame, fail: end, several: chosen }, context);
    }) as Promise<readonly Choice<Value>[]>;

  return {
    confirm: (question) => yesOrNo(streams, question),

    ask: (question) =>
      answering(streams, question, (frame, context) => textPrompt({ ...question, frame }, context)),

    askHidden: (question) =>
      answering(streams, question, (frame, context) =>
        textPrompt({ ...question, frame, isHidden: true }, context),
      ),

    pick: async (question) => {
      const [choice] = await list(question);
      return (choice as Choice<never>).value;
    },

    pickSeveral: async (question) => (await list(question, question)).map(({ value }) => value),

    fillSheet: (question) =>
      answering(streams, question, (frame, context) => sheetPrompt({ ...question, frame }, context)),
  };
}

async function yesOrNo(
  streams: Streams,
  { message, initial, ...rest }: ConfirmQuestion & { initial: boolean },
): Promise<boolean> {
  const read = (answer: string) => {
    const word = answer.trim().toLowerCase();
    if (word === '') return initial;
    if ('yes'.startsWith(word)) return true;
    return 'no'.startsWith(word) ? false : undefined;
  };
  const answer = await answering(streams, { message, ...rest }, (frame, context) =>
    textPrompt(
      {
        ...rest,
        message: `${message} (${initial ? 'Y/n' : 'y/N'})`,
        validate: (text) => (read(text) === undefined ? 'Answer yes or no.' : undefined),
        shownAs: (text) => (read(text) ? 'yes' : 'no'),
        frame,
      },
      context,
    ),
  );
  return read(answer) ?? initial;
}
