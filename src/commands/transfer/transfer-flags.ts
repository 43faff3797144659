/** Defines and parses the flags of `import`, `copy` and `backup restore`. */
import { Option } from 'commander';
import type { FieldMessages } from '../../base/errors.ts';
import type { Api, Reference } from '../../contract/api.ts';
import { targetsOf } from '../../contract/field.ts';
import type { ReferenceMapping } from '../../transfer/translate.ts';
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

/** Adds the flags of a transfer. */
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
    ...mappableReferences(api).map(({ one }) =>
      repeatable(
        `--${mapFlagOf(one)} <source=target>`,
        `replace a ${one} of the source with a ${one} of the target, by ID or name (repeatable)`,
      ),
    ),
    new Option('--same-references', 'use the IDs of branches, products and other references unchanged'),
  );
  addPlanningFlags(command);
  command.group('Records:', exitCodeOption());
}

/** Parses `--map-branch A=B` and similar flags. Throws one failure for all invalid values. */
export function parseReferenceFlags(command: Command, api: Api): ReferenceMapping[] {
  const messages: FieldMessages = Object.create(null);
  const mappings = mappableReferences(api).flatMap(({ one, name: target }) => {
    const option = command.options.find(({ long }) => long === `--${mapFlagOf(one)}`);
    const flagValues = (option && (command.opts()[option.attributeName()] as string[] | undefined)) ?? [];
    return flagValues.flatMap((flagValue) => {
      const [, sourceName = '', targetName = ''] = /^([^=]+)=(.+)$/s.exec(flagValue) ?? [];
      if (sourceName !== '') return [{ target, sourceName, targetName }];
      messages[mapFlagOf(one)] = [
        ...(messages[mapFlagOf(one)] ?? []),
        `Expected SOURCE=TARGET, not "${flagValue}"`,
      ];
      return [];
    });
  });
  refuseFlags(messages);
  return mappings;
}

/** Returns the name of the flag that maps a reference: `map-branch`. */
export function mapFlagOf(noun: string): string {
  return `map-${noun.replaceAll(' ', '-')}`;
}

/** Returns the references that records refer to by name, and that the API has no list of. */
function mappableReferences({ references, collections }: Api): Reference[] {
  const targets = new Set(collections.flatMap(({ fields }) => targetsOf(Object.values(fields))));
  return references.filter(({ isNamed, name }) => isNamed && targets.has(name));
}
