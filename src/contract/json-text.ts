/** JSON that people have written, read so that it says what they wrote: JSON.parse would drop keys and change numbers. */
import { inexactness } from '../base/number-text.ts';

export type JsonRead =
  | { value: unknown; problems?: never }
  /** `problems` are none where it is no JSON at all. */
  | { value?: never; problems: readonly JsonProblem[] };

export interface JsonProblem {
  /** The end of a sentence: "the key “a” stands twice". */
  what: string;
  /** Where it begins, in characters from the start of the text. */
  at: number;
}

/** What is deeper than this is a mistake, and more than those who walk over the value could take. */
const mostLevels = 100;

export function readJson(text: string): JsonRead {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problems: [] };
  }
  const problems = problemsIn(text);
  return problems.length > 0 ? { problems } : { value };
}

/** Strings, numbers, and what gives them their place. */
const tokens = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*|[{}[\]:]/gs;

function problemsIn(text: string): JsonProblem[] {
  const problems: JsonProblem[] = [];
  const levels: (Set<string> | undefined)[] = [];
  let last = '';
  let lastAt = 0;
  for (const { 0: token, index: at } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') {
      levels.push(token === '{' ? new Set() : undefined);
      if (levels.length > mostLevels) {
        return [...problems, { what: `it is nested deeper than ${mostLevels} levels`, at }];
      }
    } else if (token === '}' || token === ']') {
      levels.pop();
    } else if (token === ':') {
      const key = JSON.parse(last) as string;
      const keys = levels.at(-1);
      if (keys?.has(key)) problems.push({ what: `the key "${key}" stands twice`, at: lastAt });
      keys?.add(key);
    } else if (!token.startsWith('"')) {
      const problem = inexactness(token);
      if (problem !== undefined) problems.push({ what: `${token} ${problem}`, at });
    }
    [last, lastAt] = [token, at];
  }
  return problems;
}
