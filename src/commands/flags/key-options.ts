/** `--key` and `--on-deleted`: how a record is found that may be there already. */
import { Option } from 'commander';
import { keyFields } from '../../contract/composed.ts';
import { splitList } from '../../contract/list-text.ts';
import type { Operation } from '../../contract/operation.ts';
import { type FieldMessages, violations } from '../../errors.ts';
import { orMeant } from '../../suggest.ts';

/** As typed. */
export interface KeyFlags {
  key?: string;
  onDeleted?: string;
}

export interface FindingOptions {
  key: readonly string[] | undefined;
  onDeleted: 'restore' | 'refuse';
}

const whatToDo = ['restore', 'refuse'] as const;

export function keyOptions(create: Operation): Option[] {
  const unique = keyFields(create).filter(({ field }) => field.traits.unique);
  const otherwise = unique.length > 0 ? ` (default: ${unique.map(({ name }) => name).join(', else ')})` : '';
  const options = [
    new Option('--key <fields>', `the fields by which one that is there is found${otherwise}`),
    new Option('--on-deleted <what>', 'one that is deleted: restore or refuse (default: refuse)'),
  ];
  return create.resource.restore ? options : options.slice(0, 1);
}

/** Throws one failure for all that is wrong. */
export function readKeyFlags({ key, onDeleted = 'refuse' }: KeyFlags): FindingOptions {
  const messages: FieldMessages = Object.create(null);
  const chosen = whatToDo.find((word) => word === onDeleted);
  if (!chosen)
    messages['on-deleted'] = [`--on-deleted must be ${whatToDo.join(' or ')}${orMeant(onDeleted, whatToDo)}`];
  if (key === '') messages.key = ['--key is empty, as a variable that is not set would be'];
  if (!chosen || key === '') throw violations('The command line', messages);
  return {
    key: key === undefined ? undefined : splitList(key).map((name) => name.replaceAll('-', '_')),
    onDeleted: chosen,
  };
}
