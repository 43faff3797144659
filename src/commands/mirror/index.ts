/** `boh mirror`: keeps a copy of an account in SQLite or PostgreSQL. */

import type { Context } from '../../context/context.ts';
import type { Command } from '../command.ts';
import { groupCommand } from '../prepare.ts';
import { diffCommand } from './diff.ts';
import { forgetCommand } from './forget.ts';
import { queryCommand } from './query.ts';
import { resetCommand } from './reset.ts';
import { schemaCommand } from './schema.ts';
import { statusCommand } from './status.ts';
import { syncCommand } from './sync.ts';

const about = 'Keep a copy of the account in SQLite or PostgreSQL, and query it with SQL.';

/** Returns the command `boh mirror` with its subcommands. */
export function mirrorCommand(context: Context): Command {
  return groupCommand('mirror', about, [
    syncCommand(context).summary('Sync the mirror with the account'),
    queryCommand(context).summary('Run a SQL query on the mirror'),
    diffCommand(context).summary('Compare the mirror with the account'),
    statusCommand(context).summary('Show the age of each table and the last error'),
    schemaCommand(context).summary('Print the tables and columns of the mirror'),
    forgetCommand(context).summary('Remove records from the mirror permanently'),
    resetCommand(context).summary('Delete the mirror'),
  ]);
}
