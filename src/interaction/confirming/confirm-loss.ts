/** What is asked on a terminal before an update replaces lists by shorter ones: what goes, by name. Loaded for that. */
import { isRow, type Row } from '../../client/shape.ts';
import { isList } from '../../contract/list-text.ts';
import type { Operation } from '../../contract/operation.ts';
import { Failure } from '../../errors.ts';
import { lostFrom } from '../../session/list-change.ts';
import type { Current } from '../../session/record-body.ts';
import { shortValue } from '../../short-value.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { confirm } from '../../terminal/prompts.ts';
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { named, titleOf } from '../output/wording.ts';
import { labelOfField } from '../prompts/question-order.ts';

/** As many are named as a person reads before answering. */
const mostNamed = 20;

/** Throws where the answer is no. `sent` holds no look-ups any more. */
export async function confirmLoss(
  { streams }: Context,
  operation: Operation,
  sent: Row,
  current: Current,
): Promise<void> {
  const lines = lossLines(operation, sent, current);
  if (lines.length === 0) return;
  await write(streams.stderr, lines.map((line) => `${line}\n`).join(''));
  if (await confirm(streams, { message: 'Send it?' })) return;
  throw new Failure('interrupted', 'Nothing was sent.');
}

/** What a record would lose, in lines for a terminal; none where its lists only grow. */
export function lossLines({ resource, body }: Operation, sent: Row, current: Current): string[] {
  const lines = body
    .filter(({ name, field }) => isList(field) && Object.hasOwn(sent, name))
    .flatMap((entry) => {
      const { name, shown } = entry;
      const lost = lostFrom(current.body[name], sent[name]);
      return lost.length === 0 ? [] : [`  ${labelOfField(entry)}: ${namesOf(lost, current.record[shown])}`];
    });
  const what = cleanLine(named(resource.noun, current.id, current.record));
  return lines.length === 0 ? [] : [`This takes away from ${what}:`, ...lines];
}

/** `“Red” (5), “Blue” (7) and 3 others`, as the record shows them. */
function namesOf(lost: readonly unknown[], shown: unknown): string {
  const rows = Array.isArray(shown) ? shown.filter(isRow) : [];
  const names = lost.slice(0, mostNamed).map((value) => {
    const id = String(isRow(value) ? value.id : value);
    const row = rows.find((it) => String(it.id) === id);
    const title = shortValue(row ? titleOf(row) : id);
    return cleanLine(title === id ? id : `“${title}” (${id})`);
  });
  const others = lost.length - names.length;
  return names.join(', ') + (others > 0 ? ` and ${others} others` : '');
}
