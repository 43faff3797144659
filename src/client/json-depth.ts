/** How deep JSON may be nested: far past any record, and far short of what makes printing it run out of stack. */

const deepest = 100;

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Judged on the text, before anything is built from it: a parsed answer of brackets alone fills the memory. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      // JSON has backslashes inside texts only: what follows one is part of the text.
      for (at++; at < json.length; at++) {
        const inner = json.charCodeAt(at);
        if (inner === quote) break;
        if (inner === backslash) at++;
      }
    } else if (code === openList || code === openObject) {
      if (++depth > deepest) return true;
    } else if (code === closeList || code === closeObject) {
      depth--;
    }
  }
  return false;
}
