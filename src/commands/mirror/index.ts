/** `boh mirror`: a copy of the account in SQL. */

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

const about =
  'A copy of the account in a database, for questions that the API can’t answer: a file of SQLite, or PostgreSQL.';

/** Builds the command with those below it. */
export function mirrorCommand(context: Context): Command {
  return groupCommand('mirror', about, [
    syncCommand(context).summary('Bring the copy up to date; the first time, make it'),
    queryCommand(context).summary('Answer a question in SQL from the copy'),
    diffCommand(context).summary('Hold the copy against the account'),
    statusCommand(context).summary('Show how old the copy is, and what went wrong last'),
    schemaCommand(context).summary('Print the tables with what their columns mean'),
    forgetCommand(context).summary('Let records go from the copy for good'),
    resetCommand(context).summary('Take the copy away, so that the next sync makes it anew'),
  ]);
}
