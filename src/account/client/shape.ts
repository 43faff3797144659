/** Checks the type of bodies and values. */
import { isObject, reviveExactNumber } from '../../base/number-text.ts';

/** One record as the service returns it. Fields that the contract doesn't know are kept. */
export type Row = Record<string, unknown>;

export function isRow(value: unknown): value is Row {
  return isObject(value);
}

export function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/**
 * Returns whether a body is a web page. Proxies and maintenance pages send one with any status, also 200
 * (docs/reference/deployments.md: "Responses").
 */
export function isWebPage(body: string): boolean {
  return /^[\s\uFEFF]*<(!doctype|html|\?xml|!--)/i.test(body);
}

/** Returns a time as records write it, `YYYY-MM-DD HH:MM:SS`, which sorts by time; empty if it is invalid. */
export function normalizeUtcTime(value: unknown): string {
  const [, day, time] =
    typeof value === 'string' ? (/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(value) ?? []) : [];
  return day === undefined ? '' : `${day} ${time}`;
}

/** The maximum depth of nesting: far more than any record has, and far less than printing can handle. */
const maxDepth = 100;

/** Numbers with fewer digits are always exact. */
const minInexactDigits = 16;

/**
 * Returns whether JSON text is nested too deeply. It is checked before parsing, because a body of brackets alone
 * would fill the memory.
 */
export function isTooDeep(json: string): boolean {
  return scan(json).isTooDeep;
}

/** Parses JSON. Returns undefined if it is nested too deeply. Throws a SyntaxError if it is invalid. */
export function parseJson(json: string): { value: unknown } | undefined {
  const { isTooDeep: isDeep, hasLongNumbers } = scan(json);
  if (isDeep) return undefined;
  return { value: hasLongNumbers ? JSON.parse(json, reviveExactNumber) : JSON.parse(json) };
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const [zero, nine, dot, upperE, lowerE] = [0x30, 0x39, 0x2e, 0x45, 0x65];

/** Scans the whole text once. It only compares character codes. */
function scan(json: string): { isTooDeep: boolean; hasLongNumbers: boolean } {
  let depth = 0;
  let digitCount = 0;
  let hasLongNumbers = false;
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index);
    if (code === quote) {
      // JSON has backslashes only inside strings: the next character is part of the string.
      for (index++; index < json.length; index++) {
        const inner = json.charCodeAt(index);
        if (inner === quote) break;
        if (inner === backslash) index++;
      }
    } else if (code >= zero && code <= nine) {
      if (++digitCount >= minInexactDigits) hasLongNumbers = true;
      continue;
    } else if (code === dot) {
      continue;
    } else if (code === openList || code === openObject) {
      if (++depth > maxDepth) return { isTooDeep: true, hasLongNumbers };
    } else if (code === closeList || code === closeObject) {
      depth--;
    } else if (digitCount > 0 && (code === lowerE || code === upperE)) {
      // A double can't represent 1e400.
      hasLongNumbers = true;
    }
    digitCount = 0;
  }
  return { isTooDeep: false, hasLongNumbers };
}
