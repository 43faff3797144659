/** Checks and describes the bounds of numbers: fixed ones, and those that depend on another field. */
import { inputWord } from './wording.ts';

/** The bounds of a number; `minimum` and `maximum` are inclusive, `above` and `below` exclusive. */
export interface Bounds {
  minimum?: number;
  maximum?: number;
  above?: number;
  below?: number;
}

/** Bounds that apply only if another field of the same record has one of certain values. */
export interface Limit extends Bounds {
  /** The name of the other field, whose kind is `choice`. */
  where: string;
  /** The words of the values for which the bounds apply. */
  words: readonly string[];
  /** The unit of the number if the bounds apply: "percent". */
  unit?: string;
}

export function isWithin(value: number, bounds: Bounds): boolean {
  const { minimum = -Infinity, maximum = Infinity, above = -Infinity, below = Infinity } = bounds;
  return value >= minimum && value <= maximum && value > above && value < below;
}

/** Returns a description of bounds: "from 0 to 24", "more than 0 and less than 100"; undefined if there are none. */
export function describeBounds({ minimum, maximum, above, below }: Bounds): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  const parts = [
    minimum !== undefined && `${minimum} or more`,
    maximum !== undefined && `${maximum} or less`,
    above !== undefined && `more than ${above}`,
    below !== undefined && `less than ${below}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join(' and ') : undefined;
}

/** Returns a description of a limit with its condition: "more than 0 where type is price-reduction or price-increase". */
export function describeLimit({ where, words, unit: _, ...bounds }: Limit): string {
  return `${describeBounds(bounds)} where ${where} is ${words.map(inputWord).join(' or ')}`;
}
