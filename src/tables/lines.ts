/** Texts as they are read, made into their lines: only a line feed ends one, as JSON leaves every other break in. */

/** A line that is longer is no row, in characters. */
const longestLine = 16_000_000;

export async function* lines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
    if (rest.length > longestLine) {
      yield rest.slice(0, 100);
      return;
    }
  }
  if (rest !== '') yield rest;
}
