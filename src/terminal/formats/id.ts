/** Writes one id per line, for `xargs` and for standard input of the next command. */

import { usage } from '../../base/errors.ts';
import { isScalar } from '../../base/number-text.ts';
import { cleanLine } from '../clean.ts';
import { plainText, valueAt } from '../value-at.ts';
import { type Format, textsOf } from './format.ts';

/** The id format. */
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
    return { valueText: lineOf, listTexts: (values) => textsOf(startList(), values), startList };
  },
} as const satisfies Format;

/** Returns the id of a value. A scalar (after `--query`) is its own id. Throws a usage failure if the value has no id. */
function idOf(value: unknown): string {
  if (isScalar(value)) return plainText(value);
  const idValue = valueAt(value, 'id');
  if (idValue !== undefined && idValue !== null) return plainText(idValue);
  throw usage('This result has no ID.', { hint: 'Use another format, for example -o json.' });
}
