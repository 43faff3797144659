/** Writes one field of each record as a line, without quotes, for shells. */

import { usage } from '../../base/errors.ts';
import { isScalar } from '../../base/number-text.ts';
import { cleanLine } from './clean.ts';
import { type Format, formatItems } from './formats/format.ts';
import { formatPlain, valueAt } from './value-at.ts';

/** Returns the format of a field. A value without the field is a usage failure; a scalar is printed itself. */
export function fieldTextFormat(field: string): Format {
  const textOf = (value: unknown) => {
    if (isScalar(value)) return formatPlain(value);
    const fieldValue = valueAt(value, field);
    if (fieldValue === undefined) throw usage(`This result has no field "${field}".`);
    return formatPlain(fieldValue);
  };
  return {
    name: 'text',
    isForPeople: false,
    isStreaming: true,
    isExact: false,
    needsColumns: false,
    layoutFlags: [],
    async open({ terminal = false } = {}) {
      const lineOf = (value: unknown) => `${terminal ? cleanLine(textOf(value)) : textOf(value)}\n`;
      const startList = () => ({ add: lineOf, end: () => '' });
      return { formatValue: lineOf, formatList: (values) => formatItems(startList(), values), startList };
    },
  };
}
