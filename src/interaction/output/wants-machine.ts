/** Whether what is said on stderr ends in a line of JSON, for programs: as errors are asked for, else as results are. */
import type { Context } from '../context.ts';

/** Where the settings are what failed, line and environment say it alone. */
export async function wantsMachine({ settings, globals, streams, env }: Context): Promise<boolean> {
  const settled = await settings().catch(() => undefined);
  const errors = settled ? settled.errors : env.BOH_ERRORS;
  if (errors !== undefined && errors !== '') return errors === 'json';
  const output = globals.output ?? settled?.output;
  return output === undefined ? !streams.isTerminal.out : output === 'json' || output === 'ndjson';
}
