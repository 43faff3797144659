/** How deep JSON may be nested: far past any record, and far short of what makes printing it run out of stack. */

const deepest = 100;

/** Judged on the text, before anything is built from it: a parsed answer of brackets alone fills the memory. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    // JSON has backslashes inside texts only: what follows one is part of the text.
    if (character === '\\') at++;
    else if (character === '"') isInText = !isInText;
    else if (isInText) continue;
    else if (character === ']' || character === '}') depth--;
    else if ((character === '[' || character === '{') && ++depth > deepest) return true;
  }
  return false;
}
