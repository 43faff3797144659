/** A sheet filled in with the person’s own editor: mistakes are told by line, and the text is opened again with them in it. */
import { writeFile } from 'node:fs/promises';
import { Failure, violations } from '../../errors.ts';
import { reportFailure } from '../../terminal/messages.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { SheetQuestion } from '../../terminal/questions.ts';
import type { Context } from '../context.ts';
import { editedFile, openEditor, utf8In } from './editor.ts';
import { readSheet, sheetText } from './sheet-text.ts';

/** The texts of the rows, in their order. Where the person gives up, the text is kept, and the failure says where. */
export async function fillInEditor(
  context: Context,
  name: string,
  question: SheetQuestion,
): Promise<string[]> {
  const before = sheetText(question);
  const file = await editedFile(`${name}.txt`, before);
  let after = before;
  try {
    for (;;) {
      await openEditor(file.path, context);
      context.signal.throwIfAborted();
      try {
        after = utf8In(await file.read());
        const { texts, problems, text } = readSheet(after, question);
        if (Object.keys(problems).length > 0) {
          after = text;
          await writeFile(file.path, text);
          throw violations('Your table', problems);
        }
        if (!question.mayBeEmpty && texts.every((typed) => typed === ''))
          throw violations('Your table', { _: ['has nothing filled in'] });
        await file.remove();
        return texts;
      } catch (error) {
        if (!(error instanceof Failure) || error.category !== 'usage') throw error;
        reportFailure(error, context.streams);
        if (await confirm(context.streams, { message: 'Open the editor again?', initial: true })) continue;
        throw new Failure(error.category, 'Nothing was sent.');
      }
    }
  } catch (error) {
    if (after === before || !(error instanceof Failure)) {
      await file.remove();
      throw error;
    }
    const kept = `Your text is kept in ${await file.keep()}`;
    const { hint } = error.details;
    throw new Failure(error.category, error.message, {
      ...error.details,
      hint: hint === undefined ? kept : `${hint}\n${kept}`,
    });
  }
}
