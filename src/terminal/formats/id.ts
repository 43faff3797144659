/** One id a line, ready for `xargs`. */

import { usage } from '../../base/errors.ts';
import { isScalar } from '../../base/number-text.ts';
import { cleanLine } from '../clean.ts';
import { plainText, valueAt } from '../value-at.ts';
import { type Format, textsOf } from './format.ts';

export const id = {
  name: 'id',
  isForPeople: false,
  isStreaming: true,
  isExact: false,
  needsColumns: false,
  choices: [],
  async open({ terminal = false } = {}) {
    const one = (value: unknown) => {
      const text = idOf(value);
      return `${terminal ? cleanLine(text) : text}\n`;
    };
    const list = () => ({ add: one, end: () => '' });
    return { one, many: (values) => textsOf(list(), values), list };
  },
} as const satisfies Format;

/** A value that is no object (after `--query`) is its own id. An empty line in the place of one would be lost on the way. */
function idOf(value: unknown): string {
  if (isScalar(value)) return plainText(value);
  const found = valueAt(value, 'id');
  if (found !== undefined && found !== null) return plainText(found);
  throw usage('There is no id to print here.', { hint: 'Another format shows what there is: -o json.' });
}
