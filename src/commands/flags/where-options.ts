/** `--where KEY=VALUE`: the records that a verb is about found by filters, and what goes with such a run. */
import { type Command, Option } from 'commander';
import { type Operation, operation as operationOf } from '../../contract/operation.ts';
import { addRunFlags, type RunFlags } from '../bulk/run-flags.ts';

/** As typed. */
export interface WhereFlags extends RunFlags {
  where?: string[];
  maxChanges?: string;
}

/** Whether the records that it is about can be found by filters. */
function takesWhere({ effect, resource, params }: Operation): boolean {
  const isAboutRecords = params.length > 0 && effect !== 'act' && effect !== 'get';
  return isAboutRecords && operationOf(resource, 'list') !== undefined;
}

export function addWhereOptions(command: Command, operation: Operation): void {
  if (!takesWhere(operation)) return;
  const options = [
    new Option(
      '--where <key=value>',
      'the records that a list with this filter has, in place of an id (repeatable)',
    ).argParser((text: string, before: string[] = []) => [...before, text]),
    new Option('--max-changes <number>', 'send nothing if more records than this would change; N or N%'),
  ];
  for (const option of options) command.addOption(option.helpGroup('Many records:'));
  addRunFlags(command, 'Many records:');
}
