/** Splits streamed text into lines. Only a line feed ends a line, because JSON may contain other line breaks. */

/** The maximum number of characters in a line. */
const maxLineCharacters = 16_000_000;

/** Yields the lines of text that arrives in chunks. If a line is too long, yields its beginning and stops. */
export async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let remainder = '';
  for await (const chunk of chunks) {
    const parts = (remainder + chunk).split('\n');
    remainder = parts.pop() ?? '';
    yield* parts;
    if (remainder.length > maxLineCharacters) {
      yield remainder.slice(0, 100);
      return;
    }
  }
  if (remainder !== '') yield remainder;
}
