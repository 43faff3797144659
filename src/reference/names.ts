/** How words are joined into sentences. */

/** "a, b and c". */
export function listed(words: readonly string[], joint = 'and'): string {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}` : words.join('');
}

/** A sentence needs an end; texts of the contract have none. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
