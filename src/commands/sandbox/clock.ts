/** `boh sandbox clock`: shows and changes the time of the sandbox, which timestamps, codes, loyalty and limits use. */
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { isDate, isTimestamp, parseFilterTime } from '../../contract/date-time.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import type { Clock } from '../../sandbox/business/clock.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { parseDurationMs } from './numbers.ts';
import { changeSandbox, type NamedOptions, nameOption } from './with-sandbox.ts';

/** A subcommand of `boh sandbox clock` that changes the clock. */
interface ClockChange {
  name: string;
  argument?: [string, string];
  description: string;
  apply(clock: Clock, text: string | undefined): void;
}

const changes: readonly ClockChange[] = [
  {
    name: 'set',
    argument: ['<time>', '"2026-11-20 08:30:00" in UTC, a day, or ISO 8601 with a zone'],
    description: 'Set the clock; it continues from that time',
    apply: (clock, text = '') => clock.set(parseTime(text)),
  },
  {
    name: 'advance',
    argument: ['<duration>', 'for example 90s, 15m, 26h or 7d'],
    description: 'Move the clock forward',
    apply: (clock, text = '') => clock.advance(parseDurationMs(text)),
  },
  {
    name: 'freeze',
    argument: ['[time]', 'the time to stop at (default: now)'],
    description: 'Stop the clock',
    apply: (clock, text) => {
      const time = text === undefined ? undefined : parseTime(text);
      clock.freeze();
      if (time !== undefined) clock.set(time);
    },
  },
  { name: 'unfreeze', description: 'Start the clock again', apply: (clock) => clock.unfreeze() },
  {
    name: 'reset',
    description: 'Set the clock to the time of this machine',
    apply: (clock) => clock.reset(),
  },
];

/** Returns the command `boh sandbox clock` with its subcommands. */
export function clockCommand(context: Context): Command {
  const command = prepare(new Command('clock'))
    .description('Show or change the time of a sandbox.')
    .addOption(nameOption())
    .examples('boh sandbox clock advance 26h')
    .action(createAction(context, (options: NamedOptions) => showClock(options, context)));
  for (const change of changes) command.addCommand(changeCommand(change, context));
  return command;
}

function changeCommand({ name, argument, description, apply }: ClockChange, context: Context): Command {
  const command = prepare(new Command(name)).description(description).addOption(nameOption());
  if (argument) {
    return command
      .argument(...argument)
      .action(
        createAction(context, (text: string | undefined, options: NamedOptions) =>
          showClock(options, context, (clock) => apply(clock, text)),
        ),
      );
  }
  return command.action(
    createAction(context, (options: NamedOptions) =>
      showClock(options, context, (clock) => apply(clock, undefined)),
    ),
  );
}

async function showClock(
  options: NamedOptions,
  context: Context,
  change?: (clock: Clock) => void,
): Promise<Result> {
  const state = await changeSandbox(context, options, ({ clock }) => {
    change?.(clock);
    return clock.state();
  });
  const { now, isFrozen, aheadSeconds } = state;
  const suffix = isFrozen ? ', stopped' : aheadSeconds === 0 ? '' : ` (${describeOffset(aheadSeconds)})`;
  const clockData = { now, is_frozen: isFrozen, ahead_seconds: aheadSeconds };
  const text = `${now} UTC${suffix}`;
  return {
    kind: 'data',
    data: clockData,
    text,
    ...(change && { completedWrite: { message: `Clock set to ${text}.` } }),
  };
}

function describeOffset(seconds: number): string {
  const hours = Math.abs(seconds) / 3600;
  return `${Math.round(hours * 10) / 10} h ${seconds > 0 ? 'ahead of' : 'behind'} this machine`;
}

function parseTime(text: string): number {
  const isTime = isDate(text) || isTimestamp(text) || text.includes('T');
  const time = isTime ? parseFilterTime(text, new Date()) : undefined;
  if (!time) throw usage(`${text} isn't a time. Write "2026-11-20 08:30:00" (UTC) or 2026-11-20.`);
  return time.getTime();
}
