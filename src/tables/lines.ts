/** Splits streamed text into lines. Only a line feed ends a line, as JSON may contain other line breaks. */

/** Characters of a line at most. */
const maxLineLength = 16_000_000;

/** Returns the lines of the texts. A line that is too long ends them, cut to its beginning. */
export async function* lines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
    if (rest.length > maxLineLength) {
      yield rest.slice(0, 100);
      return;
    }
  }
  if (rest !== '') yield rest;
}
