/** `boh sandbox token`: prints an access token. */

import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import { splitList } from '../../contract/comma-list.ts';
import { type Scope, scopeNames } from '../../contract/scope.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';
import { type NamedOptions, nameOption, resolveId, withSandbox } from './with-sandbox.ts';

interface TokenOptions extends NamedOptions {
  scopes?: string;
  user?: string;
}

/** Returns the command `boh sandbox token`. */
export function tokenCommand(context: Context): Command {
  return prepare(new Command('token'))
    .description('Print an access token for scripts. It is valid while its user exists.')
    .addOption(new Option('--scopes <a,b>', 'the scopes of the token (default: all)'))
    .addOption(new Option('--user <id>', 'the user of the token, by ID or @NAME (default: the owner)'))
    .addOption(nameOption())
    .examples('BOH_TOKEN=$(boh sandbox token --scopes customers.list,customers.get)')
    .action(createAction(context, (options: TokenOptions) => createToken(options, context)));
}

async function createToken(options: TokenOptions, context: Context): Promise<Result> {
  const scopes = options.scopes === undefined ? scopeNames : await parseScopes(options.scopes);
  const token = await withSandbox(context, options, async (sandbox) => {
    const userId =
      options.user === undefined
        ? undefined
        : await resolveId(sandbox, 'users', options.user, options, context);
    const create = () => sandbox.createToken({ scopes, ...(userId !== undefined && { userId }) });
    return sandbox.whenUnlocked(create, { signal: context.signal });
  });
  return { kind: 'text', text: `${token}\n`, isSecret: true };
}

async function parseScopes(text: string): Promise<Scope[]> {
  const names = splitList(text);
  const unknownScope = names.find((name) => !(scopeNames as string[]).includes(name));
  if (unknownScope === undefined) return names as Scope[];
  throw usage(`Unknown scope ${unknownScope}.${didYouMean(unknownScope, scopeNames)}`, {
    hint: `The scopes are ${scopeNames.join(', ')}.`,
  });
}
