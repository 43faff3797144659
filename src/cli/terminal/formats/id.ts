/** Writes one ID per line, for `xargs` and for standard input of the next command. */

import { usage } from '../../../base/errors.ts';
import { isScalar } from '../../../base/number-text.ts';
import { cleanLine } from '../clean.ts';
import { formatPlain, valueAt } from '../value-at.ts';
import { type Format, formatItems } from './format.ts';

export const id = {
  name: 'id',
  isForPeople: false,
  isStreaming: true,
  isExact: false,
  needsColumns: false,
  layoutFlags: [],
  async open({ terminal = false } = {}) {
    const lineOf = (value: unknown) => {
      const text = idOf(value);
      return `${terminal ? cleanLine(text) : text}\n`;
    };
    const startList = () => ({ add: lineOf, end: () => '' });
    return { formatValue: lineOf, formatList: (values) => formatItems(startList(), values), startList };
  },
} as const satisfies Format;

/** Returns the ID of a value. A scalar (after `--query`) is its own ID. Throws a usage failure if the value has no ID. */
function idOf(value: unknown): string {
  if (isScalar(value)) return formatPlain(value);
  const idValue = valueAt(value, 'id');
  if (idValue !== undefined && idValue !== null) return formatPlain(idValue);
  throw usage('This result has no ID.', { hint: 'Use another format, for example -o json.' });
}
