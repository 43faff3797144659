/** The flags of commands that write records of another account or of a backup: `backup restore` and `copy`. */
import { Option } from 'commander';
import type { FieldMessages } from '../../base/errors.ts';
import type { Api, Reference } from '../../contract/api.ts';
import { targetsOf } from '../../contract/field.ts';
import type { GivenReference } from '../../transfer/translate.ts';
import { addPlanningFlags, exitCodeOption, type RunFlags } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { refuseFlags, repeatable } from '../flags/shared-flags.ts';

/** The flags as commander returns them, not yet validated. */
export interface TransferFlags extends RunFlags {
  withDeleted?: boolean;
  withReferences?: boolean;
  sameReferences?: boolean;
  skipMissing?: boolean;
  skipInvalid?: boolean;
  exitCode?: boolean;
}

export function addTransferFlags(command: Command, api: Api): void {
  command.group(
    'Records:',
    new Option('--with-references', 'also copy related records that are missing in the target'),
    new Option('--with-deleted', 'include deleted records: create them, then delete them'),
    new Option('--skip-missing', 'omit relations to records that are missing in the target'),
    new Option('--skip-invalid', "skip records that can't be written"),
  );
  command.group(
    'Advanced:',
    ...mapped(api).map(({ one }) =>
      repeatable(
        `--${flagOf(one)} <source=target>`,
        `replace a ${one} of the source by one of the target, by ID or name (repeatable)`,
      ),
    ),
    new Option('--same-references', 'use the IDs of branches, products and other references unchanged'),
  );
  addPlanningFlags(command);
  command.group('Records:', exitCodeOption());
}

/** Returns the values of `--map-branch A=B` and its siblings. Throws one failure for all that can't be read. */
export function givenReferences(command: Command, api: Api): GivenReference[] {
  const messages: FieldMessages = Object.create(null);
  const given = mapped(api).flatMap(({ one, name: target }) => {
    const option = command.options.find(({ long }) => long === `--${flagOf(one)}`);
    const texts = (option && (command.opts()[option.attributeName()] as string[] | undefined)) ?? [];
    return texts.flatMap((text) => {
      const [, theirs = '', ours = ''] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (theirs !== '') return [{ target, theirs, ours }];
      messages[flagOf(one)] = [...(messages[flagOf(one)] ?? []), `"${text}" is not SOURCE=TARGET`];
      return [];
    });
  });
  refuseFlags(messages);
  return given;
}

export function flagOf(one: string): string {
  return `map-${one.replaceAll(' ', '-')}`;
}

/** Returns the named resources without a list of their own that writable records refer to. */
function mapped({ references, collections }: Api): Reference[] {
  const pointedAt = new Set(collections.flatMap(({ fields }) => targetsOf(Object.values(fields))));
  return references.filter(({ isNamed, name }) => isNamed && pointedAt.has(name));
}
