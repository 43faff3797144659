/** JSON that people have written, with the place of a mistake in it. */
import { refuseHuge } from '../../contract/text.ts';
import { usage } from '../../errors.ts';

/** `from` begins the sentence: "--data", "The file supplier.json". Throws a usage failure with line and column. */
export async function parseJson(text: string, from: string): Promise<unknown> {
  try {
    return JSON.parse(text, refuseHuge) as unknown;
  } catch (cause) {
    if (cause instanceof RangeError) throw usage(`${from} can’t be used: ${cause.message}.`, { cause });
    const { line, column, what } = await mistakeIn(text);
    throw usage(`${from} is not valid JSON at line ${line}, column ${column}: ${what}.`, { cause });
  }
}

interface Mistake {
  line: number;
  column: number;
  what: string;
}

/** JSON.parse tells the place of some mistakes only; momoa tells it of all, and takes raw line breaks in strings. */
async function mistakeIn(text: string): Promise<Mistake> {
  const { parse } = await import('@humanwhocodes/momoa');
  try {
    parse(text);
  } catch (error) {
    if (error instanceof Error && 'line' in error && 'column' in error) {
      return { line: Number(error.line), column: Number(error.column), what: describe(text, error) };
    }
  }
  const lines = text.split('\n');
  return {
    line: lines.length,
    column: (lines.at(-1) ?? '').length + 1,
    what: 'a line break inside quotes, or another character that needs an escape',
  };
}

function describe(text: string, { message }: Error): string {
  if (message.includes('end of input')) return text.trim() === '' ? 'it is empty' : 'it ends too early';
  const found = /(character|identifier) '(.*?)' found/.exec(message)?.[2];
  return found === undefined ? 'something else was expected here' : `"${found}" was not expected here`;
}
