/** Whether a declared record is right at a glance, as nearly all are: the checks that have words for mistakes are loaded for the others. */

import { linkFields } from '../../contract/operation.ts';
import { isPlainlyValid } from '../../contract/plainly-valid.ts';
import { isRow } from '../../session/row.ts';
import type { Declared, Given } from './declared.ts';
import { Ref } from './ref.ts';

/** Never true where `checkGiven` finds a mistake. */
export function isPlainlyGiven({ given }: Declared): boolean {
  for (const one of given.values()) if (!isPlain(one)) return false;
  return true;
}

function isPlain({ field: { field, link }, value }: Given): boolean {
  if (value instanceof Ref) return field.kind === 'one';
  if (field.kind === 'many' && Array.isArray(value))
    return (link !== undefined || linkFields(field).length === 0) && value.every(isBareLink);
  return link === undefined && isPlainlyValid(field, value);
}

/** It holds nothing beside the record that it names. */
function isBareLink(link: unknown): boolean {
  return isRow(link) && link.id instanceof Ref && Object.keys(link).length === 1;
}
