/** The verbs that send a body: `create`, `update`, `link-…` and `redeem`. */
import { type Command, Option } from 'commander';
import { isLines, type Operation } from '../../contract/operation.ts';
import type { Context } from '../../interaction/context.ts';
import { fieldOptions } from '../flags/field-flags.ts';
import { addIdArguments } from '../flags/id-arguments.ts';
import { inputOptions } from '../flags/input-options.ts';
import { keyOptions } from '../flags/key-options.ts';
import { listChangeOptions } from '../flags/list-changes.ts';
import { addViewFlags } from '../flags/view-flags.ts';
import { noWaitOption } from '../flags/wait-option.ts';
import { addWhereOptions } from '../flags/where-options.ts';

export function configureSave(command: Command, operation: Operation, context: Context): void {
  addIdArguments(command, operation);
  const options = [...fieldOptions(operation), ...listChangeOptions(operation)];
  for (const option of options) command.addOption(option);
  for (const option of [...inputOptions(operation), ...ownOptions(operation)]) {
    command.addOption(option.helpGroup('Input:'));
  }
  if (mayBeThere(operation)) {
    const ifMissing = new Option('--if-missing', 'leave one that is there already as it is');
    for (const option of [ifMissing, ...keyOptions(operation), noWaitOption()])
      command.addOption(option.helpGroup('Which record:'));
  }
  addWhereOptions(command, operation);
  addViewFlags(command);
  command.action(async () => (await import('./run-save.ts')).runSave(command, operation, context));
}

function ownOptions({ effect, body }: Operation): Option[] {
  const isSave = effect === 'create' || effect === 'update';
  const isSheet = isSave && body.some(({ field }) => isLines(field));
  const sheet = new Option(
    '--sheet',
    'fill in the lines at the terminal, in a table of all records there are',
  );
  const inEditor = new Option('--edit', 'with --sheet: fill in that table in your editor ($VISUAL, $EDITOR)');
  if (effect !== 'update') return isSheet ? [sheet, inEditor] : [];
  const more = isSheet ? '; with --sheet its lines as a table' : '';
  return [
    ...(isSheet ? [sheet] : []),
    new Option('--edit', `open the record in your editor ($VISUAL, $EDITOR) and send what you change${more}`),
    new Option('--full', 'read the record first and send every field that an update takes'),
  ];
}

/** Whether a record can be looked for before it is created. */
function mayBeThere({ effect, resource }: Operation): boolean {
  return effect === 'create' && resource.list !== undefined && resource.get !== undefined;
}
