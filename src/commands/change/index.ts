/** `boh change`: schedules changes with a start time and an optional end time. */
import type { Context } from '../../context/context.ts';
import type { Command } from '../command.ts';
import { groupCommand } from '../prepare.ts';
import { createCommand } from './create.ts';
import { cancelCommand, editCommand } from './edit.ts';
import { installCommand } from './install.ts';
import { listCommand, showCommand } from './list.ts';
import { rehearseCommand } from './rehearse.ts';
import { runCommand } from './run.ts';

const about =
  'Schedule changes that start at one time and optionally end at another; the earlier values are then restored.';

/** Returns the command `boh change` with its subcommands. */
export function changeCommand(context: Context): Command {
  return groupCommand('change', about, [
    createCommand(context).summary('Schedule changes'),
    listCommand(context).summary('List the change sets'),
    showCommand(context).summary('Show when change sets start and end, or preview one'),
    editCommand(context).summary('Change the schedule or the contents of a change set'),
    cancelCommand(context).summary('Cancel a change set that has not started'),
    rehearseCommand(context).summary('Try a change set in a copy of the account'),
    runCommand(context).summary('Start and end the change sets that are due'),
    installCommand(context).summary('Print a systemd timer or crontab line that calls run'),
  ]);
}
