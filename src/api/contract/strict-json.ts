/** Parses JSON strictly: duplicate keys and inexact numbers are problems. JSON.parse would silently drop or change them. */
import { describeInexactness } from '../../base/number-text.ts';

/** The parsed value, or the problems of the text. */
export type JsonResult =
  | { value: unknown; problems?: never }
  /** Empty if the text isn't valid JSON at all. */
  | { value?: never; problems: readonly JsonProblem[] };

/** A reason why JSON can't be used. */
export interface JsonProblem {
  /** A clause that describes the problem: `the key "a" occurs twice`. */
  description: string;
  /** The position of the problem, in characters from the start of the text. */
  position: number;
}

/** The maximum depth: a deeper value is a mistake, and could overflow the stack of recursive functions. */
const maxLevels = 100;

/** Parses JSON strictly. Returns the problems instead of throwing. */
export function parseStrictJson(text: string): JsonResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problems: [] };
  }
  const problems = findProblems(text);
  return problems.length > 0 ? { problems } : { value };
}

/** Matches strings, numbers and structural characters. */
const tokenPattern = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*|[{}[\]:]/gs;

function findProblems(text: string): JsonProblem[] {
  const problems: JsonProblem[] = [];
  const levels: (Set<string> | undefined)[] = [];
  let lastToken = '';
  let lastIndex = 0;
  for (const { 0: token, index } of text.matchAll(tokenPattern)) {
    if (token === '{' || token === '[') {
      levels.push(token === '{' ? new Set() : undefined);
      if (levels.length > maxLevels) {
        return [
          ...problems,
          { description: `it is nested deeper than ${maxLevels} levels`, position: index },
        ];
      }
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ':') {
      const key = JSON.parse(lastToken) as string;
      const keys = levels.at(-1);
      if (keys?.has(key))
        problems.push({ description: `the key "${key}" occurs twice`, position: lastIndex });
      keys?.add(key);
    } else if (!token.startsWith('"')) {
      const problem = describeInexactness(token);
      if (problem !== undefined) problems.push({ description: `${token} ${problem}`, position: index });
    }
    [lastToken, lastIndex] = [token, index];
  }
  return problems;
}
