/** `--ask FIELD`: secrets asked for without showing them. */
import type { Operation } from '../../contract/operation.ts';
import { flagName } from '../../contract/text.ts';
import { usage } from '../../errors.ts';
import type { Context } from '../context.ts';

export async function askSecrets(
  operation: Operation,
  names: readonly string[],
  { streams }: Context,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const name of names.map((typed) => typed.replaceAll('-', '_'))) {
    const entry = operation.body.find((candidate) => candidate.name === name);
    if (!entry)
      throw usage(`${operation.resource.command} ${operation.verb} has no field "${name}" to ask for.`);
    const { askHidden } = await import('../../terminal/prompts.ts');
    const message = `${entry.field.traits.about ?? flagName(name)}:`;
    const validate = (answer: string) => (answer === '' ? 'Type it, or end this with Ctrl-C.' : undefined);
    answers[name] = await askHidden(streams, { message, validate });
  }
  return answers;
}
