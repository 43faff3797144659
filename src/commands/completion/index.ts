/** `boh completion SHELL`: the script that lets a shell complete boh. */
import { Argument, Command } from 'commander';
import { usage } from '../../errors.ts';
import { scripts } from '../../interaction/completion/scripts.ts';
import { type ShellName, shellNames } from '../../interaction/completion/shells.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { didYouMean } from '../../suggest.ts';
import { prepare } from '../prepare.ts';

const help = `
What to write into your shell's own file, so that it is there in every new window:
  bash        source <(boh completion bash)                               in ~/.bashrc
  zsh         source <(boh completion zsh)        after compinit, in ~/.zshrc
  fish        boh completion fish | source        in ~/.config/fish/config.fish
  powershell  boh completion powershell | Out-String | Invoke-Expression  in $PROFILE`;

export function completionCommand(context: Context): Command {
  return prepare(new Command('completion'))
    .description('Print the script that lets a shell complete commands, flags, words and records.')
    .addArgument(new Argument('<shell>').choices(shellNames).argParser(readShell))
    .addHelpText('after', help)
    .action(presented(context, (shell: ShellName) => ({ kind: 'text', text: scripts[shell] })));
}

function readShell(typed: string): ShellName {
  const shell = shellNames.find((name) => name === typed);
  if (shell) return shell;
  throw usage(`There is no completion for "${typed}".${didYouMean(typed, shellNames)}`, {
    hint: `Shells: ${shellNames.join(', ')}.`,
  });
}
