/** `boh completion SHELL`: prints the completion script of a shell. Each script runs `boh __complete` to get candidates. */
import { Argument } from 'commander';
import { usage } from '../../../base/errors.ts';
import { didYouMean } from '../../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
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

// A candidate that ends in one of [=/,.@] is incomplete: no space follows it.

const bash = `# boh completion for bash. In ~/.bashrc:  source <(boh completion bash)
_boh() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(boh __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" "$COMP_TYPE" 2>/dev/null)
  case "\${COMPREPLY[0]-}" in
    *[=/,.@]) compopt -o nospace 2>/dev/null ;;
  esac
}
complete -o nosort -F _boh boh 2>/dev/null || complete -F _boh boh
`;

const zsh = `#compdef boh
# boh completion for zsh. In ~/.zshrc, after compinit:  source <(boh completion zsh)
_boh() {
  local line value
  local -a closed open
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    line="\${\${value//\\\\/\\\\\\\\}//:/\\\\:}:\${line#*$'\\t'}"
    case "$value" in
      *[=/,.@]) open+=("$line") ;;
      *) closed+=("$line") ;;
    esac
  done < <(boh __complete zsh "=\${(Q)PREFIX}" "\${(@Q)words[2,CURRENT-1]}" 2>/dev/null)
  (( $#closed )) && _describe -V boh closed
  (( $#open )) && _describe -V boh open -S ''
}
if [[ "\${funcstack[1]}" == _boh ]]; then
  _boh "$@"
elif (( $+functions[compdef] )); then
  compdef _boh boh
fi
`;

const fish = `# boh completion for fish. In ~/.config/fish/config.fish:  boh completion fish | source
function __boh_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l typed (string unescape -- $current; or string join -- '' $current)
    boh __complete fish "=$typed" $before[2..] 2>/dev/null
end
complete -c boh -f -k -a '(__boh_complete)'
`;

const powershell = `# boh completion for PowerShell. In $PROFILE:  boh completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName boh -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { if ($null -ne $_.Value) { $_.Value } else { $_.Extent.Text } })
    $typed = $wordToComplete.Trim([char[]]@([char]34, [char]39))
    boh __complete powershell "=$typed" @before 2>$null | ForEach-Object {
        $value, $about = $_ -split [char]9, 2
        $text = if ($value -match '[^\\w%+=:./-]') { "'" + $value.Replace("'", "''") + "'" } else { $value }
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $about)
    }
}
`;

export const completionScripts: Readonly<Record<ShellName, string>> = { bash, zsh, fish, powershell };
