/** JSON that people have written, with the place of a mistake in it. */
import { readJson } from '../../contract/json-text.ts';
import { usage } from '../../errors.ts';

/** `from` begins the sentence: "--data", "The file supplier.json". Throws a usage failure with line and column. */
export async function parseJson(text: string, from: string): Promise<unknown> {
  const { value, problems } = readJson(text);
  if (!problems) return value;
  if (problems.length > 0) {
    const told = problems.map(({ what, at }) => `${placeOf(text, at)}: ${what}`);
    throw usage(`${from} can’t be used. At ${told.join('; at ')}.`);
  }
  const { place, what } = await mistakeIn(text);
  throw usage(`${from} is not valid JSON at ${place}: ${what}.`);
}

interface Mistake {
  place: string;
  what: string;
}

/** JSON.parse tells the place of some mistakes only; momoa tells it of all, and takes raw line breaks in strings. */
async function mistakeIn(text: string): Promise<Mistake> {
  const { parse } = await import('@humanwhocodes/momoa');
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Error && 'line' in error && 'column' in error) {
      return { place: `line ${error.line}, column ${error.column}`, what: describe(text, error) };
    }
  }
  return {
    place: placeOf(text, text.length),
    what: 'a line break inside quotes, or another character that needs an escape',
  };
}

function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

function describe(text: string, { message }: Error): string {
  if (message.includes('end of input')) return text.trim() === '' ? 'it is empty' : 'it ends too early';
  const found = /(character|identifier) '(.*?)' found/.exec(message)?.[2];
  return found === undefined ? 'something else was expected here' : `"${found}" was not expected here`;
}
