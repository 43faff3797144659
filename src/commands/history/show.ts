/** `boh history show N`: one write field by field: what was there before, after it, and what is there now. */
import { Command } from 'commander';
import { Failure, usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import { maskOf } from '../../contract/secret-mask.ts';
import type { Entry } from '../../history/journal/entry.ts';
import { entryNumbered } from '../../history/journal/reading.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { relationsNeeded } from '../../session/record-body.ts';
import type { Row } from '../../session/row.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { tabulated } from './before-after.ts';
import { openHistory, refuseOthersWrites } from './open-history.ts';
import { shownEntry } from './shown-entry.ts';

export function showCommand(context: Context): Command {
  return prepare(new Command('show'))
    .argument('<number>', 'its number, as boh history shows it')
    .description('Show a write field by field: before it, after it, and now.')
    .addOption(anyAccountOption())
    .action(presented(context, (number: string, flags: AnyAccountFlag) => run(number, flags, context)));
}

async function run(text: string, flags: AnyAccountFlag, context: Context): Promise<Result> {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw usage(`${text} is not the number of an entry.`, { hint: 'See them: boh history' });
  const history = await openHistory(context, flags);
  const entry = history && entryNumbered(history.journal, Number(text), history.accounts);
  if (history && !entry) {
    const find = () => [Number(text)];
    await refuseOthersWrites(history, { called: `Entry ${text}`, find }, context);
  }
  if (!entry)
    throw new Failure('not_found', `There is no entry ${text} in the history.`, {
      hint: 'See them: boh history',
    });
  const now = await recordNow(entry, context);
  const shown = { ...shownEntry(entry), ...now };
  return { kind: 'facts', facts: shown, text: (page) => tabulated(entry, shown, context.api, page) };
}

/** The record as it is, which costs one request; why not, where it can't be read. */
async function recordNow(
  { id, resource: name }: Entry,
  context: Context,
): Promise<{ now: Row | null; now_missing: string | null }> {
  const resource = name === null ? undefined : context.api.resource(name);
  const get = resource && operation(resource, 'get');
  if (!get || id === null || context.globals.offline) return { now: null, now_missing: 'it was not read' };
  const taking = operation(resource, 'update');
  const optional = [...(taking ? relationsNeeded(taking) : [])];
  try {
    const { record } = await (await context.session()).get({
      operation: get,
      ids: [id],
      query: { optional },
    });
    return { now: maskOf(resource)(record) as Row, now_missing: null };
  } catch (error) {
    if (!(error instanceof Failure) || error.category === 'interrupted') throw error;
    return { now: null, now_missing: error.message };
  }
}
