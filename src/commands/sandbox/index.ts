/** `boh sandbox`: runs and controls the embedded service. */

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
  'Run and control the embedded sandbox: a demo restaurant on this machine that follows the rules of the API.';

/** Returns the command `boh sandbox` with its subcommands. */
export function sandboxCommand(context: Context): Command {
  return groupCommand('sandbox', about, [
    serveCommand(context).summary('Serve a sandbox over HTTP'),
    runCommand(context).summary('Run a command with a temporary sandbox'),
    statusCommand(context).summary('Show the records, file and clock of a sandbox'),
    checkCommand(context).summary('Check the file of a sandbox for damage'),
    resetCommand(context).summary('Reset a sandbox to the demo data'),
    snapshotCommand(context).summary('Save, list and restore snapshots of a sandbox'),
    tokenCommand(context).summary('Print an access token'),
    orderCommand(context).summary('Place an order, as at a register'),
    returnCommand(context).summary('Return an order, fully or in part'),
    stockCommand(context).summary('Move stock in ways that have no API endpoint'),
    settingsCommand(context).summary('Show and change settings of the business and its service'),
    eventsCommand(context).summary('Show notification events'),
    clockCommand(context).summary('Show, set, move or stop the clock'),
    faultsCommand(context).summary('Inject faults'),
  ]);
}
