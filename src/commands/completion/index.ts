/** `boh completion SHELL`: prints the completion script of a shell. */
import { Argument } from 'commander';
import { usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import { completionScripts } from './scripts.ts';
import { type ShellName, shellNames } from './shells.ts';

const help = `
Add the line for your shell to its startup file:
  ~/.bashrc                    source <(boh completion bash)
  ~/.zshrc, after compinit     source <(boh completion zsh)
  ~/.config/fish/config.fish   boh completion fish | source
  $PROFILE (PowerShell)        boh completion powershell | Out-String | Invoke-Expression`;

export function completionCommand(context: Context): Command {
  return createCommand(context, {
    name: 'completion',
    about: 'Print a completion script for commands, flags, values and names of records.',
    run: (_args, _flags, { processedArgs: [shell] }) => ({
      kind: 'text',
      text: completionScripts[shell as ShellName],
    }),
  })
    .addArgument(new Argument('<shell>', 'your shell').choices(shellNames).argParser(parseShell))
    .addHelpText('after', help);
}

function parseShell(shellName: string): ShellName {
  const shell = shellNames.find((name) => name === shellName);
  if (shell) return shell;
  throw usage(`boh has no completion for "${shellName}".${didYouMean(shellName, shellNames)}`, {
    hint: `Shells: ${shellNames.join(', ')}.`,
  });
}
