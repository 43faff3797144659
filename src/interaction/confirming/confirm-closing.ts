/** What is asked on a terminal before the numbers of a record begin to count: how they differ from those before them. */
import type { Row } from '../../client/shape.ts';
import type { BodyField, Operation } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import type { Current } from '../../session/record-body.ts';
import { confirm } from '../../terminal/prompts.ts';
import type { Context } from '../context.ts';
import { named } from '../output/wording.ts';
import { answerFor } from '../prompts/answer.ts';
import { earlierLines } from '../prompts/earlier-lines.ts';
import { withNames } from '../prompts/name-related.ts';
import { tellDifferences } from '../prompts/tell-differences.ts';

/** The lines of a record that these values make count, where there are some. */
function closingLines({ body: fields }: Operation, sent: Row): BodyField | undefined {
  return fields.find(({ field: { traits } }) => {
    const { difference, filters } = traits.earlier ?? {};
    const value = difference && sent[difference.when];
    return difference !== undefined && value !== undefined && filters?.[difference.when] === String(value);
  });
}

/** Throws where the answer is no. `sent` holds no look-ups any more. */
export async function confirmClosing(
  context: Context,
  operation: Operation,
  sent: Row,
  current: Current,
): Promise<void> {
  const entry = closingLines(operation, sent);
  const { difference, same } = entry?.field.traits.earlier ?? {};
  if (!entry || !difference || sent[difference.when] === current.body[difference.when]) return;
  const all = { ...current.body, ...sent };
  const sameId = all[operation.body.find(({ shown }) => shown === same)?.name ?? ''];
  const session = await context.session();
  const given = new Map([[entry.name, answerFor(entry.field, all[entry.name], current.record[entry.shown])]]);
  const answer = (await withNames(session, operation, given)).get(entry.name);
  const before =
    typeof sameId === 'string'
      ? await earlierLines(context, operation, entry, { sameId, ownId: current.id })
      : undefined;
  if (answer) await tellDifferences(context, entry, answer, before);
  const what = named(operation.resource.noun, current.id, current.record);
  if (await confirm(context.streams, { message: `Send this for ${what}?` })) return;
  throw new Failure('interrupted', 'Nothing was sent.');
}
