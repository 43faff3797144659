/** Whether a declared record is right at a glance, as nearly all are: the checks that have words for mistakes are loaded for the others. */

import { linkFields } from '../../contract/operation.ts';
import { isPlainlyValid } from '../../contract/plainly-valid.ts';
import { isRow } from '../../session/row.ts';
import type { Declared } from './declared.ts';
import type { ManifestField } from './fields.ts';
import { Ref } from './ref.ts';

/** Never true where `checkGiven` finds a mistake. */
export function isPlainlyGiven({ given }: Declared): boolean {
  for (const { field, value } of given.values()) if (!isPlainValue(field, value)) return false;
  return true;
}

export function isPlainValue({ field, link }: ManifestField, value: unknown): boolean {
  if (value instanceof Ref) return field.kind === 'one';
  if (field.kind === 'many' && Array.isArray(value))
    return (link !== undefined || linkFields(field).length === 0) && value.every(isBareLink);
  return link === undefined && isPlainlyValid(field, value);
}

/** It holds nothing beside the record that it names. */
function isBareLink(link: unknown): boolean {
  return isRow(link) && link.id instanceof Ref && Object.keys(link).length === 1;
}
