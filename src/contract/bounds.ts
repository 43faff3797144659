/** The numbers that a field may have: what they lie between, always or while another field has one of some values. */

import { typedWord } from './typed-word.ts';

/** `minimum` and `maximum` are allowed themselves; `above` and `below` are not. Each may be missing. */
export interface Bounds {
  minimum?: number;
  maximum?: number;
  above?: number;
  below?: number;
}

/** Bounds that hold where another field of the same record has one of some values. */
export interface Limit extends Bounds {
  /** The other field, by its name; its kind is `choice`. */
  where: string;
  /** Those values, by their words. */
  is: readonly string[];
  /** What the number is in then: "percent". */
  unit?: string;
}

export function isWithin(value: number, bounds: Bounds): boolean {
  const { minimum = -Infinity, maximum = Infinity, above = -Infinity, below = Infinity } = bounds;
  return value >= minimum && value <= maximum && value > above && value < below;
}

/** "from 0 to 24", "more than 0 and less than 100"; undefined where any number will do. */
export function boundsInWords({ minimum, maximum, above, below }: Bounds): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `from ${minimum} to ${maximum}`;
  const parts = [
    minimum !== undefined && `${minimum} or more`,
    maximum !== undefined && `${maximum} or less`,
    above !== undefined && `more than ${above}`,
    below !== undefined && `less than ${below}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join(' and ') : undefined;
}

/** "more than 0 where type is price-reduction or price-increase". */
export function limitInWords({ where, is, unit: _, ...bounds }: Limit): string {
  return `${boundsInWords(bounds)} where ${where} is ${is.map(typedWord).join(' or ')}`;
}
