/** `boh sandbox requests` and `boh sandbox dump`: what a tested program sent to a sandbox, and what it left there. */
import { controlOperations } from '../../../sandbox/control/operations.ts';
import type { Context } from '../../context/context.ts';
import { messageResult } from '../../output/result.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { control } from './control.ts';
import { serverFlag } from './with-sandbox.ts';

const requestFlags = [
  ['--method <method>', 'only this method'],
  ['--path <path>', 'only this path, without prefix and query; * is one part, ** is any number of parts'],
  ['--status <status>', 'only responses with this status'],
  ['--count <number>', 'fail unless exactly this number of requests matches'],
  ['--wait <duration>', 'how long to wait for that number, such as 2s'],
  ['--clear', 'remove all requests from the log'],
  serverFlag,
] as const;

export function requestsCommand(context: Context): Command {
  return createCommand(context, {
    name: 'requests',
    summary: 'List and count the requests to a served sandbox',
    about:
      'List the requests to a running server, oldest first, without secrets. Exits with 6 if --count differs.',
    flags: requestFlags,
    examples: [
      'boh sandbox requests --name http://127.0.0.1:4010',
      'boh sandbox requests --method POST --path /customers --count 1 --wait 2s',
    ],
    run: async (_, { clear, name, ...query }) => {
      const options = name === undefined ? {} : { name };
      if (clear) {
        await control(controlOperations.clearRequests, {}, options, context);
        return messageResult('Removed all requests from the log.');
      }
      const { requests } = await control(controlOperations.requests, query, options, context);
      return { kind: 'data', data: requests, columns, emptyNote: 'No requests.' };
    },
  });
}

const columns = [
  { name: 'at', header: 'time', isIndivisible: true },
  { name: 'method' },
  { name: 'target', minWidth: 20 },
  { name: 'status' },
  { name: 'milliseconds', header: 'ms' },
  { name: 'operation', rank: 1 },
  { name: 'fault', rank: 2 },
];

export function dumpCommand(context: Context): Command {
  return createCommand(context, {
    name: 'dump',
    summary: 'Print all records, sorted, for golden files',
    about:
      'Print all records as JSON: resources, records and keys are sorted, timestamps are left out. Two runs with the ' +
      'same requests and --random-seed give the same bytes.',
    args: [['[resource]', 'only this resource, such as inventory-items']],
    flags: [serverFlag],
    examples: ['boh sandbox dump > after.json'],
    hasOwnFormats: true,
    run: async ([name], options) => {
      const resource = name === undefined ? undefined : (context.api.findResource(name)?.name ?? name);
      const dump = await control(controlOperations.dump, { resource }, options, context);
      return { kind: 'text', text: `${JSON.stringify(dump, null, 2)}\n` };
    },
  });
}
