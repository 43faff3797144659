/** `boh sandbox clock`: the time of the sandbox, which timestamps, codes, loyalty and limits use. */
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { isDate, isTimestamp, readMoment } from '../../contract/moment.ts';
import { presented } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import type { Clock } from '../../sandbox/business/clock.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { changeSandbox, type NamedOptions, nameOption } from './named.ts';
import { readSpan } from './numbers.ts';

interface Change {
  name: string;
  argument?: [string, string];
  description: string;
  make(clock: Clock, typed: string | undefined): void;
}

const changes: readonly Change[] = [
  {
    name: 'set',
    argument: ['<time>', '"2026-11-20 08:30:00" in UTC, a day, or ISO 8601 with a zone'],
    description: 'Set the clock; it continues from that time',
    make: (clock, typed = '') => clock.set(readTime(typed)),
  },
  {
    name: 'advance',
    argument: ['<span>', 'for example 90s, 15m, 26h or 7d'],
    description: 'Move the clock forward',
    make: (clock, typed = '') => clock.advance(readSpan(typed)),
  },
  {
    name: 'freeze',
    argument: ['[moment]', 'the time to stop at (default: now)'],
    description: 'Stop the clock',
    make: (clock, typed) => {
      const moment = typed === undefined ? undefined : readTime(typed);
      clock.freeze();
      if (moment !== undefined) clock.set(moment);
    },
  },
  { name: 'unfreeze', description: 'Start the clock again', make: (clock) => clock.unfreeze() },
  { name: 'reset', description: 'Set the clock to the time of this machine', make: (clock) => clock.reset() },
];

export function clockCommand(context: Context): Command {
  const command = prepare(new Command('clock'))
    .description('Show or change the time of a sandbox.')
    .addOption(nameOption())
    .examples('boh sandbox clock advance 26h')
    .action(presented(context, (options: NamedOptions) => show(options, context)));
  for (const change of changes) command.addCommand(changeCommand(change, context));
  return command;
}

function changeCommand({ name, argument, description, make }: Change, context: Context): Command {
  const command = prepare(new Command(name)).description(description).addOption(nameOption());
  if (argument) {
    return command
      .argument(...argument)
      .action(
        presented(context, (typed: string | undefined, options: NamedOptions) =>
          show(options, context, (clock) => make(clock, typed)),
        ),
      );
  }
  return command.action(
    presented(context, (options: NamedOptions) => show(options, context, (clock) => make(clock, undefined))),
  );
}

async function show(
  options: NamedOptions,
  context: Context,
  change?: (clock: Clock) => void,
): Promise<Result> {
  const state = await changeSandbox(context, options, ({ clock }) => {
    change?.(clock);
    return clock.state();
  });
  const { now, isFrozen, aheadSeconds } = state;
  const aside = isFrozen ? ', stopped' : aheadSeconds === 0 ? '' : ` (${describeGap(aheadSeconds)})`;
  const facts = { now, is_frozen: isFrozen, ahead_seconds: aheadSeconds };
  const text = `${now} UTC${aside}`;
  return { kind: 'facts', facts, text, ...(change && { done: { message: `Clock set to ${text}.` } }) };
}

function describeGap(seconds: number): string {
  const hours = Math.abs(seconds) / 3600;
  return `${Math.round(hours * 10) / 10} h ${seconds > 0 ? 'ahead of' : 'behind'} this machine`;
}

function readTime(typed: string): number {
  const isMoment = isDate(typed) || isTimestamp(typed) || typed.includes('T');
  const moment = isMoment ? readMoment(typed, new Date()) : undefined;
  if (!moment) throw usage(`${typed} isn't a time. Write "2026-11-20 08:30:00" (UTC) or 2026-11-20.`);
  return moment.getTime();
}
