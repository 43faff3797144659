/** What an apply would do, shown before it does it. */
import { capital } from '../../contract/capital.ts';
import { Failure, usage } from '../../errors.ts';
import { asksForName } from '../../interaction/confirming/approve-writes.ts';
import type { Context } from '../../interaction/context.ts';
import type { Plan } from '../../manifest/plan/make-plan.ts';
import { writesOf } from '../../manifest/plan/writes.ts';
import type { Session } from '../../session/session.ts';
import { cleanLine } from '../../terminal/clean.ts';
import { note } from '../../terminal/messages.ts';
import { numeral } from '../../terminal/numeral.ts';
import { planText } from './plan-text.ts';
import { summary } from './show-plan.ts';

/** Lines of a plan that are shown before somebody is asked. */
const mostShown = 60;

/** Throws where the answer is no, or nobody can be asked. One record alone, and nothing deleted, needs no answer. */
export async function confirmApply(plan: Plan, session: Session, context: Context): Promise<void> {
  const { globals, streams } = context;
  for (const remark of plan.remarks) note(streams, remark);
  note(streams, summary(plan));
  const { changes } = plan;
  const needsAnswer =
    changes.length > 1 || changes.some(({ action, links }) => action === 'delete' || links.length > 0);
  const isAsked = needsAnswer && !globals.yes;
  const what = `change ${numeral(changes.length)} ${changes.length === 1 ? 'record' : 'records'}`;
  if (isAsked && !streams.interactive) {
    throw usage(`To ${what}, add --yes.`, {
      hint: 'There is no terminal to ask on. boh plan shows what would be done.',
    });
  }
  await session.foretell(writesOf(plan));
  if (isAsked || asksForName(context, session.settings)) showFirst(plan, streams);
  if (!isAsked) return;
  const { confirm } = await import('../../terminal/prompts.ts');
  if (await confirm(streams, { message: `${capital(what)}?` })) return;
  throw new Failure('interrupted', 'Nothing was sent.');
}

function showFirst({ changes }: Plan, streams: Context['streams']): void {
  const lines = planText(changes, {
    width: streams.columns,
    colour: false,
    unicode: streams.unicode,
    isWindow: true,
  })
    .trimEnd()
    .split('\n');
  for (const line of lines.slice(0, mostShown)) note(streams, cleanLine(line));
  if (lines.length > mostShown)
    note(streams, `… and ${numeral(lines.length - mostShown)} more lines (boh plan shows all)`);
}
