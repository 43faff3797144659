/** `boh sandbox …`: the service on this machine. Of its subcommands only the one that the line names is built. */

import type { Context } from '../../context/context.ts';
import type { Command } from '../command.ts';
import { groupCommand } from '../prepare.ts';
import { clockCommand } from './clock.ts';
import { eventsCommand } from './events.ts';
import { faultsCommand } from './faults.ts';
import { orderCommand, returnCommand } from './order.ts';
import { resetCommand } from './reset.ts';
import { runCommand } from './run.ts';
import { serveCommand } from './serve.ts';
import { settingsCommand } from './settings.ts';
import { snapshotCommand } from './snapshot.ts';
import { checkCommand, statusCommand } from './status.ts';
import { stockCommand } from './stock.ts';
import { tokenCommand } from './token.ts';

const about =
  'The service itself on this machine: made-up data of a restaurant, the rules of the API, no account.';

/** Builds the command with those below it. */
export function sandboxCommand(context: Context): Command {
  return groupCommand('sandbox', about, [
    serveCommand(context).summary('Answer over HTTP, for other programs and for the browser'),
    runCommand(context).summary('Run a command against a fresh sandbox that is gone afterwards'),
    statusCommand(context).summary('Show what is in a sandbox, and where it is'),
    checkCommand(context).summary('Find out whether a sandbox’s file is whole'),
    resetCommand(context).summary('Begin a sandbox anew'),
    snapshotCommand(context).summary('Keep a copy of a sandbox, and go back to it'),
    tokenCommand(context).summary('Print a token'),
    orderCommand(context).summary('Place an order, as a till does'),
    returnCommand(context).summary('Return a part of an order, or all of it'),
    stockCommand(context).summary('Move stock in ways that the API has no endpoint for'),
    settingsCommand(context).summary('Show or change the settings of the business'),
    eventsCommand(context).summary('Show who was told of what'),
    clockCommand(context).summary('Show, set, move or stop the clock'),
    faultsCommand(context).summary('Choose what goes wrong, and how often'),
  ]);
}
