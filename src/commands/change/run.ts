/** `boh change run`: starts and ends the change sets that are due, exactly once. */
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import { startShell } from '../../base/child-process.ts';
import { type Category, Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { actionLabels, dueActions } from '../../changes/change-set.ts';
import type { ChangeSets } from '../../changes/change-sets.ts';
import { type ActionResult, executeDueActions } from '../../changes/execute-actions.ts';
import type { Context } from '../../context/context.ts';
import { formatTimestamp } from '../../contract/date-time.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import { ownerName } from '../../session/file-owner.ts';
import { isBusy } from '../../storage/failures.ts';
import type { FileLock } from '../../storage/file-lock.ts';
import { note, warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { type AnyAccountFlag, anyAccountOption } from '../flags/shared-flags.ts';
import { prepare } from '../prepare.ts';
import { createHost } from './host.ts';
import { openSets } from './open-sets.ts';

/** The flags of `boh change run`. */
interface Flags extends AnyAccountFlag {
  notify?: string;
}

/** Returns the command `boh change run`. */
export function runCommand(context: Context): Command {
  return prepare(new Command('run').withDryRun())
    .description(
      'Start and end the change sets that are due. Call it regularly, for example every minute: each start and end is executed once. ' +
        "It doesn't ask for confirmation, because change sets are confirmed when they are created.\n\n" +
        'Exit codes: 0 if nothing was due or everything is done; 9 if a change set was missed or stopped, or if records were skipped.',
    )
    .addOption(
      new Option(
        '--notify <command>',
        'run this shell command with a JSON report on its standard input, if anything was due',
      ),
    )
    .addOption(anyAccountOption('also use change sets of another account'))
    .examples('boh change run', `boh change run --quiet --notify 'mail -s "Change sets" manager@example.com'`)
    .action(createAction(context, (flags: Flags) => run(flags, context)));
}

const columns = [
  { name: 'name', isIndivisible: true },
  { name: 'event', isIndivisible: true },
  { name: 'outcome', isIndivisible: true },
  { name: 'message', minWidth: 20 },
];

async function run(flags: Flags, context: Context): Promise<Result> {
  const { sets, account } = await openSets(context, flags);
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
    const results = await executeDueActions(actions, { sets, host: createHost(context) });
    const reports = results.map(({ report }) => report);
    if (reports.length > 0 && flags.notify !== undefined) {
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
