/** Reads text as people type it into a form: like flags, and the name of a file for a border. */
import type { Field } from '../../api/contract/field.ts';
import { parseTyped, type TypedContext, type TypedValue } from '../../api/contract/typed-text.ts';
import { parseValue } from '../../api/contract/value-text.ts';
import { closedRing, parseBorder } from '../input/flag-values.ts';

export interface ParseContext extends TypedContext {
  now: Date;
  /** The folder that replaces `~` in a path. */
  home?: string | undefined;
}

export function parseAnswer(field: Field, input: string, context: ParseContext): TypedValue {
  if (field.kind !== 'ring') return parseTyped(field, input, context);
  const border = parseBorder(input.trim(), context.home);
  if ('problem' in border) return border;
  const { value, problem } = parseValue(field, border.text);
  return problem === undefined ? { display: border.display, ...closedRing(value) } : { problem };
}
