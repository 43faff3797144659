/** `boh change run` starts and ends the change sets that are due, exactly once; `boh change install` prints a timer that calls it. */
import { text } from 'node:stream/consumers';
import { accountInUse } from '../../../account/session/account.ts';
import { ownerName } from '../../../account/session/file-owner.ts';
import { formatTimestamp } from '../../../api/contract/date-time.ts';
import { startShell } from '../../../base/child-process.ts';
import { type Category, Failure, usage } from '../../../base/errors.ts';
import { boh, quoteForShell } from '../../../base/hint.ts';
import { isBusy } from '../../../base/storage/failures.ts';
import type { FileLock } from '../../../base/storage/file-lock.ts';
import { actionLabels, dueActions } from '../../../engine/changes/change-set.ts';
import type { ChangeSets } from '../../../engine/changes/change-sets.ts';
import { type ActionResult, executeDueActions } from '../../../engine/changes/execute-actions.ts';
import type { Host } from '../../../engine/changes/host.ts';
import type { Context } from '../../context/context.ts';
import type { Result } from '../../output/result.ts';
import { note, warn } from '../../terminal/messages.ts';
import { startProgress } from '../../terminal/progress.ts';
import { lockLedger } from '../bulk/ledger.ts';
import { openRunSession } from '../bulk/run-flags.ts';
import type { Command } from '../command.ts';
import { createCommand } from '../declare.ts';
import type { FlagsOf } from '../flags/flag-table.ts';
import { openHistory } from '../history/open-history.ts';
import { openSets } from './open-sets.ts';

const changeRunFlags = [
  [
    '--notify <command>',
    'run this shell command with a JSON report on its standard input, if anything was due',
  ],
] as const;

export function runCommand(context: Context): Command {
  return createCommand(context, {
    name: 'run',
    summary: 'Start and end the change sets that are due',
    about:
      'Start and end the change sets that are due. Call it regularly, for example every minute: each start and end is executed once. ' +
      "It doesn't ask for confirmation, because change sets are confirmed when they are created.\n\n" +
      'Exit codes: 0 if nothing was due or everything is done; 9 if a change set was missed or stopped, or if records were skipped.',
    flags: changeRunFlags,
    examples: [
      'boh change run',
      `boh change run --quiet --notify 'mail -s "Change sets" manager@example.com'`,
    ],
    dryRun: true,
    run: (_, flags) => run(flags, context),
  });
}

const columns = [
  { name: 'name', isIndivisible: true },
  { name: 'event', isIndivisible: true },
  { name: 'outcome', isIndivisible: true },
  { name: 'message', minWidth: 20 },
];

async function run(flags: FlagsOf<typeof changeRunFlags>, context: Context): Promise<Result> {
  const sets = await openSets(context);
  const lock = sets && lockSets(sets, context);
  const emptyNote = 'Nothing is due.';
  if (!sets || !lock) return { kind: 'data', data: [], columns, emptyNote };
  try {
    const now = context.now().getTime();
    const actions = dueActions(sets.all(), now);
    if (context.globals.dryRun) {
      const dueActionRows = actions.map(({ set, kind, dueAt }) => ({
        name: set.name,
        act: kind,
        due_at: formatTimestamp(new Date(dueAt)),
      }));
      const displayedRows = () =>
        dueActionRows.map(({ name, act, due_at: dueAt }) => ({
          name,
          event: actionLabels[act],
          due_at: dueAt,
        }));
      return { kind: 'data', data: dueActionRows, dataForPeople: displayedRows, emptyNote };
    }
    const results = await executeDueActions(actions, { sets, host: await createHost(context) });
    const reports = results.map(({ report }) => report);
    if (reports.length > 0 && flags.notify !== undefined) {
      const account = await accountInUse(await context.session());
      const summary = { account: ownerName(account), at: formatTimestamp(context.now()), reports };
      await runNotifyCommand(flags.notify, summary, context);
    }
    for (const { left } of reports) for (const line of left) note(context.streams, `  ${line}`);
    const reportRows = () =>
      reports.map(({ name, act, outcome, message }) => ({
        name,
        event: actionLabels[act],
        outcome,
        message,
      }));
    return {
      kind: 'data',
      data: reports,
      idField: 'name',
      dataForPeople: reportRows,
      columns,
      emptyNote,
      expectedFailure: failureOf(results),
    };
  } finally {
    lock.release();
  }
}

/** Returns the host of a command that runs change sets. It doesn't ask for confirmation: change sets are confirmed when they are created. */
export async function createHost(context: Context): Promise<Host> {
  const { env, globals, recordedWrites, signal, streams } = context;
  globals.yes = true;
  recordedWrites.isUndoShown = true;
  const session = await context.session();
  return {
    env,
    folder: await session.folder(),
    signal,
    now: () => context.now().getTime(),
    open: async ({ change, undoing }) => {
      Object.assign(recordedWrites, { change, undoing });
      const { history } = await context.settings();
      // The end of a change set restores the earlier values from the history.
      history.required = history.journal;
      return openRunSession(context, {});
    },
    history: () => openHistory(context),
    lock: async (ledger, session, resources) => {
      const command = String(ledger.property('command'));
      await lockLedger(ledger, { account: session, resources, flags: {}, command }, context);
    },
    progress: (total) => startProgress(streams, { label: 'Sending', total }),
    onWait: (reason) => note(streams, reason),
  };
}

/** Locks the change sets. Returns undefined if another process is executing them. */
function lockSets(sets: ChangeSets, { streams }: Context): FileLock | undefined {
  try {
    return sets.lock();
  } catch (error) {
    if (!isBusy(error)) throw error;
    note(streams, 'Another process is running the change sets of this account.');
    return undefined;
  }
}

/** Returns the failure of the command, with the category that all failures have, or `partial` if they differ. */
function failureOf(results: readonly ActionResult[]): Failure | undefined {
  const incompleteResults = results.filter(({ report }) => report.outcome !== 'done');
  const [firstIncomplete] = incompleteResults;
  if (!firstIncomplete) return undefined;
  const categories = new Set<Category>(
    incompleteResults.map(({ failure }) => failure?.category ?? 'partial'),
  );
  const [category = 'partial', ...otherCategories] = categories;
  const fields = Object.fromEntries(incompleteResults.map(({ report }) => [report.name, [report.message]]));
  return new Failure(
    otherCategories.length === 0 ? category : 'partial',
    `${incompleteResults.length} of ${results.length} due ${results.length === 1 ? 'change set' : 'change sets'} ${incompleteResults.length === 1 ? "wasn't" : "weren't"} completed as planned.`,
    {
      fields,
      hint: firstIncomplete.failure?.details.hint ?? boh.hint`To list all: ${boh.account('change list')}`,
    },
  );
}

/** Runs the command of `--notify`. If it fails, boh only warns. */
async function runNotifyCommand(
  shellCommand: string,
  summary: object,
  { env, streams }: Context,
): Promise<void> {
  const child = startShell(shellCommand, [], { env, stdio: ['pipe', 'ignore', 'pipe'] });
  const exit = new Promise<string | number | null>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', resolve);
  });
  // A command may end without reading its input.
  child.stdin?.once('error', () => undefined);
  child.stdin?.end(`${JSON.stringify(summary)}\n`);
  const [code, errorOutput] = await Promise.all([exit, child.stderr ? text(child.stderr) : '']);
  if (code !== 0) warn(streams, `--notify ${shellCommand} failed (${code}). ${errorOutput.trim()}`);
}

const installFlags = [
  ['--systemd', 'print a systemd service and timer, with the paths to save them'],
  ['--cron', 'print a line for crontab -e'],
  ['--notify <command>', 'pass this flag to boh change run'],
] as const;

export function installCommand(context: Context): Command {
  return createCommand(context, {
    name: 'install',
    summary: 'Print a systemd timer or crontab line that calls run',
    about:
      'Print a systemd timer or a line for crontab that calls boh change run every minute. Nothing is written or started. ' +
      'With --profile, that profile is used.',
    flags: installFlags,
    examples: ['boh --profile production change install --systemd', 'boh change install --cron'],
    run: (_, flags) => install(flags, context),
  });
}

function install({ systemd, cron, notify }: FlagsOf<typeof installFlags>, { env, globals }: Context): Result {
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
