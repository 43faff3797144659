/** What a body or a value is, at a glance. */
import { exactly, isObject } from '../base/number-text.ts';

/** One record as the service gives it: fields that the contract doesn't know pass through. */
export type Row = Record<string, unknown>;

/** Returns whether a value is a record. */
export function isRow(value: unknown): value is Row {
  return isObject(value);
}

/** Returns whether a value is a list of texts. */
export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** A proxy or a maintenance page answers with one at any status, 200 included (docs/reference/deployments.md: "Answers"). */
export function isWebPage(body: string): boolean {
  return /^[\s\uFEFF]*<(!doctype|html|\?xml|!--)/i.test(body);
}

/** A moment as records write it, `YYYY-MM-DD HH:MM:SS`, which sorts by time; empty where it is none. */
export function utcText(value: unknown): string {
  const [, day, time] =
    typeof value === 'string' ? (/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)/.exec(value) ?? []) : [];
  return day === undefined ? '' : `${day} ${time}`;
}

/** Far past any record, and far short of what makes printing it run out of stack. */
const deepest = 100;

/** Fewer digits than this are always held exactly. */
const minLongDigits = 16;

/** Judged on the text, before anything is built from it: a parsed answer of brackets alone fills the memory. */
export function isTooDeep(json: string): boolean {
  return scan(json).isTooDeep;
}

/** Undefined where it is nested too deep. Throws a SyntaxError for what is no JSON. */
export function parseJson(json: string): { value: unknown } | undefined {
  if (json.length > maxPlainLength || longNumber.test(json) || tinyNumber.test(json)) {
    return parseExactly(json);
  }
  const value: unknown = JSON.parse(json);
  const levels = typeof value === 'object' && value !== null ? levelsOf(value, 1) : 0;
  if (levels === Infinity || value === Infinity || value === -Infinity) return parseExactly(json);
  return levels > deepest ? undefined : { value };
}

function parseExactly(json: string): { value: unknown } | undefined {
  const { isTooDeep: isDeep, hasLongNumbers } = scan(json);
  if (isDeep) return undefined;
  return { value: hasLongNumbers ? JSON.parse(json, exactly) : JSON.parse(json) };
}

/** Of so few characters even brackets alone take little memory: it is looked at once it is parsed, which is quicker. */
const maxPlainLength = 1024 * 1024;

/** One class for each character, not `{16}`: so the engine looks at every eighth character alone. */
const longNumber = new RegExp('[\\d.]'.repeat(minLongDigits));

/** 1e-400 would be 0. The digits before the exponent are checked last: many ids contain `e-123`, few of them as a number. */
const tinyNumber = /[eE]-(?<=(?:^|[:,[\s])-?[\d.]+[eE]-)\d{3}/;

/** The deepest level, or infinity where a number is. */
function levelsOf(value: object, level: number): number {
  if (level > deepest) return level;
  let most = level;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) {
      const inner: unknown = value[at];
      if (typeof inner === 'object' && inner !== null) most = Math.max(most, levelsOf(inner, level + 1));
      else if (inner === Infinity || inner === -Infinity) return Infinity;
    }
    return most;
  }
  for (const name in value) {
    const inner: unknown = (value as Record<string, unknown>)[name];
    if (typeof inner === 'object' && inner !== null) most = Math.max(most, levelsOf(inner, level + 1));
    else if (inner === Infinity || inner === -Infinity) return Infinity;
  }
  return most;
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];
const [zero, nine, dot, upperE, lowerE] = [0x30, 0x39, 0x2e, 0x45, 0x65];

/** One pass over the whole text: it compares character codes and nothing else. */
function scan(json: string): { isTooDeep: boolean; hasLongNumbers: boolean } {
  let depth = 0;
  let digits = 0;
  let hasLongNumbers = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      // JSON has backslashes inside texts only: what follows one is part of the text.
      for (at++; at < json.length; at++) {
        const inner = json.charCodeAt(at);
        if (inner === quote) break;
        if (inner === backslash) at++;
      }
    } else if (code >= zero && code <= nine) {
      if (++digits >= minLongDigits) hasLongNumbers = true;
      continue;
    } else if (code === dot) {
      continue;
    } else if (code === openList || code === openObject) {
      if (++depth > deepest) return { isTooDeep: true, hasLongNumbers };
    } else if (code === closeList || code === closeObject) {
      depth--;
    } else if (digits > 0 && (code === lowerE || code === upperE)) {
      // 1e400 is more than a double holds.
      hasLongNumbers = true;
    }
    digits = 0;
  }
  return { isTooDeep: false, hasLongNumbers };
}
