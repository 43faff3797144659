/** `boh history`: lists writes. Its subcommands show, verify, export and delete them. */

import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Command } from '../command.ts';
import { groupCommand } from '../prepare.ts';
import { exportCommand } from './export.ts';
import { forgetCommand } from './forget.ts';
import { addListFlags, listHistory } from './list.ts';
import { pruneCommand } from './prune.ts';
import { showCommand } from './show.ts';
import { verifyCommand } from './verify.ts';

const about =
  'List the writes of boh from this machine, newest first, with time, user and earlier values. On a terminal, only the first page is shown.';

/** Returns the command `boh history` with its subcommands. */
export function historyCommand(context: Context): Command {
  const command = groupCommand('history', about, [
    showCommand(context).summary('Show the fields of a write: before, after and now'),
    verifyCommand(context).summary('Check that the file is intact and no entry is missing'),
    exportCommand(context).summary('Print the history as NDJSON'),
    forgetCommand(context).summary('Delete the stored data of a record'),
    pruneCommand(context).summary('Delete old entries'),
  ]);
  command
    .usage('[resource [id]] [flags]')
    .argument('[resource]', 'only writes to this resource')
    .argument('[id]', 'only writes to this record: its ID, or @NAME');
  addListFlags(command);
  command.examples('boh history inventory-items @SKU-001', 'boh history --since 7d --field cost');
  command.action(createAction(context, () => listHistory(command.args, command.opts(), context)));
  return command;
}
