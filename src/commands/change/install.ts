/** `boh change install`: prints a systemd timer or a crontab line that calls `boh change run`. It writes no file. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { quoteForShell } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { Command } from '../command.ts';
import { prepare } from '../prepare.ts';

/** The flags of `boh change install`. */
interface Flags {
  systemd?: boolean;
  cron?: boolean;
  notify?: string;
}

/** Returns the command `boh change install`. */
export function installCommand(context: Context): Command {
  return prepare(new Command('install'))
    .description(
      'Print a systemd timer or a line for crontab that calls boh change run every minute. Nothing is written or started. ' +
        'With --profile, that profile is used.',
    )
    .addOption(new Option('--systemd', 'print a systemd service and timer, with the paths to save them'))
    .addOption(new Option('--cron', 'print a line for crontab -e'))
    .addOption(new Option('--notify <command>', 'pass this flag to boh change run'))
    .examples('boh --profile production change install --systemd', 'boh change install --cron')
    .action(createAction(context, (flags: Flags) => install(flags, context)));
}

function install({ systemd, cron, notify }: Flags, { env, globals }: Context): Result {
  if ((systemd === true) === (cron === true)) throw usage('Specify either --systemd or --cron.');
  const program = [process.execPath, process.argv[1] ?? 'boh'];
  const accountFlags = [
    ...(globals.profile === undefined ? [] : ['--profile', globals.profile, '--yes']),
    ...(globals.sandbox ? ['--sandbox'] : []),
  ];
  const commandWords = [
    ...program,
    ...accountFlags,
    'change',
    'run',
    '--quiet',
    ...(notify === undefined ? [] : ['--notify', notify]),
  ];
  const folder = env.BOH_CONFIG_DIR;
  if (cron) {
    const environmentPrefix = folder === undefined ? '' : `BOH_CONFIG_DIR=${quoteForShell(folder)} `;
    // In crontab, % ends the command.
    return {
      kind: 'text',
      text: `* * * * * ${environmentPrefix}${commandWords.map(quoteForShell).join(' ').replaceAll('%', String.raw`\%`)}\n`,
    };
  }
  const unitFiles = `# ~/.config/systemd/user/boh-change.service
[Unit]
Description=Start and end boh change sets that are due

[Service]
Type=oneshot
${folder === undefined ? '' : `Environment=${quoteForUnit(`BOH_CONFIG_DIR=${folder}`)}\n`}ExecStart=${commandWords.map(quoteForUnit).join(' ')}

# ~/.config/systemd/user/boh-change.timer
[Unit]
Description=Call boh change run every minute

[Timer]
OnCalendar=minutely
AccuracySec=1s
Persistent=true

[Install]
WantedBy=timers.target

# Then: systemctl --user daemon-reload && systemctl --user enable --now boh-change.timer
# To run it also while you are signed out: loginctl enable-linger
`;
  return { kind: 'text', text: unitFiles };
}

/** Returns a word quoted for a unit file, in which % and $ are special characters. */
function quoteForUnit(word: string): string {
  const escapedWord = word
    .replaceAll(/[\\"]/g, String.raw`\$&`)
    .replaceAll('%', '%%')
    .replaceAll('$', '$$$$');
  return /^[\w@%+=:,./-]+$/.test(escapedWord) ? escapedWord : `"${escapedWord}"`;
}
