/** Printing what boh itself knows: a text for people, the facts behind it for machines. */
import { write } from '../../terminal/streams.ts';
import type { Context } from '../context.ts';
import { outputName } from './output.ts';

/** `text` is asked for only where a person reads it. */
export async function printFacts(
  context: Context,
  facts: unknown,
  text: () => string | Promise<string>,
): Promise<void> {
  const { stdout, isTerminal } = context.streams;
  const name = await outputName(context);
  if (name === 'table') return write(stdout, await text());
  const { loadFormat } = await import('../../terminal/formats/format.ts');
  const format = await loadFormat(name, { terminal: isTerminal.out });
  if (!Array.isArray(facts) || name === 'json') return write(stdout, format.one(facts));
  for await (const part of format.many(facts)) await write(stdout, part);
}
