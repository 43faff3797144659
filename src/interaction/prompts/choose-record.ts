/** A look-up that names no record, or several, put before the person as a list with what was typed. */
import type { Session } from '../../session/session.ts';
import type { Unsettled } from '../../session/settle.ts';
import { pick } from '../../terminal/prompts.ts';
import type { Context } from '../context.ts';
import { recordEntries } from './record-entries.ts';

/** Pages that are read to see whether there is anything to choose from. */
const fewPages = 3;

/** Undefined where nothing fits: there is no use in an empty list. */
export async function chooseRecord(
  { streams }: Context,
  session: Session,
  { resource, text, deleted, isNear }: Unsettled,
): Promise<string | undefined> {
  const [, typed = ''] = /^@(?:[\w.-]+:)?(.*)$/s.exec(text) ?? [];
  const entries = recordEntries(session, { resource, deleted, pagesAtOnce: isNear ? undefined : fewPages });
  if (!isNear) {
    await entries.want(typed, 1);
    if (entries.matching(typed).length === 0) return undefined;
  }
  const message = `${text} is no single ${resource.noun}. Which one?`;
  return (await pick(streams, { message, entries, typed }))?.id;
}
