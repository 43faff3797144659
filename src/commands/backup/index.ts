/** `boh backup DIR`: an account into a folder; `boh backup verify DIR`: whether that is still as it was written. */
import { Command, Option } from 'commander';
import type { Context } from '../../interaction/context.ts';
import { anyAccountOption } from '../flags/any-account.ts';
import { resourceOption } from '../flags/resource-flag.ts';
import { readLine } from '../line/read-line.ts';
import { prepare } from '../prepare.ts';

/** `words` are those that follow its name on the line. */
export async function backupCommand(context: Context, words: readonly string[]): Promise<Command> {
  const [first] = readLine(words).names;
  const command = prepare(new Command('backup'))
    .argument('[folder]', 'where the backup is, or is to be')
    .usage('<folder> [flags]')
    .description(
      'Write every record that can be listed to a folder, with links and deleted records: a file for each resource, and ' +
        'manifest.json with counts and checksums. The folder holds the backup before until the new one is whole.',
    )
    .addOption(resourceOption())
    .addOption(
      new Option(
        '--since-last',
        'ask only for what has changed since the backup in that folder; it is whole all the same',
      ),
    )
    .addOption(anyAccountOption())
    .addHelpText(
      'after',
      '\nExamples:\n  boh backup nightly\n  boh backup nightly --since-last\n  boh backup verify nightly',
    )
    .action(async () => {
      const { runBackup } = await import('./write.ts');
      await runBackup(command.args[0], command.opts(), context);
    });
  const verify =
    first?.word === 'verify'
      ? (await import('./verify.ts')).verifyCommand(context)
      : prepare(new Command('verify'));
  command.addCommand(verify.summary('Find out whether a backup is as it was written'));
  return command;
}
