/** The flags of commands that bring records into an account: `restore-from` and `copy`. */
import { type Command, Option } from 'commander';
import { type FieldMessages, violations } from '../../base/errors.ts';
import type { Api, Reference } from '../../contract/api.ts';
import type { Fields } from '../../contract/field.ts';
import type { GivenReference } from '../../transfer/translate.ts';
import { addPlanningFlags, type RunFlags } from '../bulk/run-flags.ts';

/** As typed. */
export interface TransferFlags extends RunFlags {
  withDeleted?: boolean;
  withReferences?: boolean;
  sameReferences?: boolean;
  skipMissing?: boolean;
  skipInvalid?: boolean;
  exitCode?: boolean;
}

const repeated = (text: string, before: string[] = []) => [...before, text];

export function addTransferFlags(command: Command, api: Api): void {
  const group = (heading: string, ...options: Option[]) => {
    for (const option of options) command.addOption(option.helpGroup(heading));
  };
  group(
    'Records:',
    new Option('--with-references', 'bring what the records point at, too, where the target lacks it'),
    new Option('--with-deleted', 'deleted records too: they are made, and deleted again at the end'),
    new Option('--skip-missing', 'leave out relations to records that the target lacks'),
    new Option('--skip-invalid', 'leave out records that can’t be written, instead of writing none'),
  );
  group(
    'Records without a list:',
    ...mapped(api).map(({ one, name }) =>
      new Option(
        `--${flagOf(one)} <theirs=ours>`,
        `which of the target’s ${name.replaceAll('_', ' ')} stands for one, by id or name (repeatable)`,
      ).argParser(repeated),
    ),
    new Option('--same-references', 'all of these have the same ids in both accounts'),
  );
  addPlanningFlags(command);
  command.addOption(
    new Option('--exit-code', 'with --dry-run: end with 10 where something would be written'),
  );
}

/** What `--map-branch a=b` and its like say. Throws one failure for all that can’t be read. */
export function givenReferences(command: Command, api: Api): GivenReference[] {
  const messages: FieldMessages = Object.create(null);
  const given = mapped(api).flatMap(({ one, name: target }) => {
    const option = command.options.find(({ long }) => long === `--${flagOf(one)}`);
    const texts = (option && (command.opts()[option.attributeName()] as string[] | undefined)) ?? [];
    return texts.flatMap((text) => {
      const [, theirs = '', ours = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (theirs !== '') return [{ target, theirs, ours }];
      messages[flagOf(one)] = [...(messages[flagOf(one)] ?? []), `"${text}" is not THEIRS=OURS`];
      return [];
    });
  });
  if (Object.keys(messages).length > 0) throw violations('The command line', messages);
  return given;
}

export function flagOf(one: string): string {
  return `map-${one.replaceAll(' ', '-')}`;
}

/** Kinds that people know by a name, and that something points at which can be written. */
function mapped({ references, collections }: Api): Reference[] {
  const pointedAt = new Set(collections.flatMap(({ fields }) => targetsOf(fields)));
  return references.filter(({ isNamed, name }) => isNamed && pointedAt.has(name));
}

function targetsOf(fields: Fields): string[] {
  return Object.values(fields).flatMap(({ traits: { target, fields: inner } }) =>
    inner ? targetsOf(inner) : target === undefined ? [] : [target],
  );
}
