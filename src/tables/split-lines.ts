/** Splits streamed text into lines. Only a line feed ends a line, because JSON may contain other line breaks. */

/** The maximum length of a line, in characters. */
const maxLineCharacters = 16_000_000;

/** Yields the lines of the texts. If a line is too long, yields its beginning and stops. */
export async function* splitLines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
    if (rest.length > maxLineCharacters) {
      yield rest.slice(0, 100);
      return;
    }
  }
  if (rest !== '') yield rest;
}
