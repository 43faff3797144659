/** `boh history prune`: old entries thrown away, as they are by themselves after two years or beyond a gigabyte. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { readMoment } from '../../contract/moment.ts';
import { writersUpTo } from '../../history/journal/accounts.ts';
import type { Journal } from '../../history/journal/journal.ts';
import { dropUpTo, newestToDrop } from '../../history/keeping/drop.ts';
import { presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import { accountForOwners, accountPlace, matchOwner, notOwner, profileOf } from '../../session/file-owner.ts';
import { numeral } from '../../terminal/numeral.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/any-account.ts';
import { prepare } from '../prepare.ts';
import { confirmLasting, scrubTold } from './confirm-lasting.ts';
import { openJournal } from './open-history.ts';

interface Flags extends AnyAccountFlag {
  olderThan?: string;
  maxSize?: string;
}

const units: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9 };

export function pruneCommand(context: Context): Command {
  return prepare(new Command('prune'))
    .description(
      'Throw old entries away; what they were can’t be undone any more. After two years, or beyond 1 GB, they go by themselves.',
    )
    .addOption(new Option('--older-than <age>', 'those from before then: 90d, 2026-01-01'))
    .addOption(new Option('--max-size <size>', 'the oldest, until the rest is smaller: 100MB'))
    .addOption(anyAccountOption())
    .action(presented(context, (flags: Flags) => run(flags, context)));
}

async function run({ olderThan, maxSize, anyAccount }: Flags, context: Context): Promise<Result> {
  const now = context.now();
  const moment = olderThan === undefined ? undefined : readMoment(olderThan, now);
  const [, amount, unit = ''] = /^(\d{1,6})\s*(KB|MB|GB)$/i.exec(maxSize ?? '') ?? [];
  if (olderThan !== undefined && !moment) throw usage('--older-than takes an age (90d) or a day.');
  if (maxSize !== undefined && amount === undefined) throw usage('--max-size takes a size, such as 100MB.');
  if (!moment && amount === undefined) throw usage('Which entries? Give --older-than, or --max-size.');
  if (context.globals.dryRun)
    throw usage('prune has nothing to rehearse.', {
      hint: boh.hint`To see what is there: ${boh.account('history')}`,
    });
  const journal = await openJournal(context);
  const limits = {
    age: moment && now.getTime() - moment.getTime(),
    bytes: amount === undefined ? undefined : Number(amount) * (units[unit.toUpperCase()] ?? 1),
  };
  const upTo = journal ? newestToDrop(journal, limits, now.getTime()) : 0;
  if (journal && !anyAccount) await demandOwnUpTo(upTo, journal, context);
  await confirmLasting('Throw old entries of the history away', context);
  const count = journal ? dropUpTo(journal, upTo, now.getTime()) : 0;
  if (journal) await scrubTold(journal.database, context);
  journal?.close();
  return told(`${numeral(count)} ${count === 1 ? 'entry was' : 'entries were'} thrown away.`);
}

/** Old entries are deleted together, as the chain goes on behind them: all of them have to be the account's own. */
async function demandOwnUpTo(number: number, journal: Journal, context: Context): Promise<void> {
  const settings = await context.settings();
  const owners = writersUpTo(journal, number, accountPlace(settings)).map(({ owner }) => owner);
  const file = { called: 'Part of what would be deleted', kind: 'history' };
  const inUse = await accountForOwners(owners, settings, { open: () => context.session() });
  for (const owner of owners) {
    const match = matchOwner(owner, inUse);
    if (match === 'own') continue;
    throw notOwner(match, owner, inUse, { ...file, profile: await profileOf(owner, context.env) });
  }
}
