/** The composition root: the command line in, the exit code out. */
import { readFileSync } from 'node:fs';

export async function main(argv: string[]): Promise<number> {
  if (argv[0] !== '--version') return 2;
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version }: { version: string } = JSON.parse(text);
  process.stdout.write(`${version}\n`);
  return 0;
}
