/** `boh history`: what was written, and what of that can be looked at, checked and taken elsewhere. */

import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import type { Command } from '../command.ts';
import { groupCommand } from '../prepare.ts';
import { exportCommand } from './export.ts';
import { forgetCommand } from './forget.ts';
import { addListFlags, listHistory } from './list.ts';
import { pruneCommand } from './prune.ts';
import { showCommand } from './show.ts';
import { verifyCommand } from './verify.ts';

const about =
  'What was written with boh from this machine, newest first: by whom, when, and what was there before. A page at a terminal, all of it anywhere else.';

/** Builds the command with those below it. */
export function historyCommand(context: Context): Command {
  const command = groupCommand('history', about, [
    showCommand(context).summary('Show a write field by field: before, after, now'),
    verifyCommand(context).summary('Say whether the history is as it was written'),
    exportCommand(context).summary('Print all of it as NDJSON, for auditors'),
    forgetCommand(context).summary('Take out what is kept of a record, for good'),
    pruneCommand(context).summary('Throw old entries away'),
  ]);
  command
    .usage('[resource [id]] [flags]')
    .argument('[resource]', 'writes to records of this kind')
    .argument('[id]', 'to this one; @NAME looks it up');
  addListFlags(command);
  command.action(presented(context, () => listHistory(command.args, command.opts(), context)));
  return command;
}
