/** `boh doctor`: checks everything that a command needs, and describes how to fix problems. */
import { Failure } from '../../base/errors.ts';
import { formatHint } from '../../base/hint.ts';
import type { Context } from '../context/context.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { runChecks } from '../diagnosis/run-checks.ts';
import type { DisplayOptions, Result } from '../output/result.ts';
import { cleanLine } from '../terminal/clean.ts';
import { createPaint, type Paint } from '../terminal/color.ts';
import { wrapWords } from '../terminal/width.ts';
import type { Command } from './command.ts';
import { createCommand } from './declare.ts';

export function doctorCommand(context: Context): Command {
  return createCommand(context, {
    name: 'doctor',
    about:
      'Check Node, configuration, network, clock, token, scopes, sandboxes and what boh assumes about the service, and describe ' +
      'how to fix problems. Only reads. The exit code is 0, or that of the first problem.',
    flags: [['--redacted', 'omit names of your account, files and machine, for a public bug report']],
    examples: ['boh doctor', 'boh doctor --profile shop'],
    dryRun: true,
    run: (_, { redacted = false }) => run(context, redacted),
  });
}

async function run(context: Context, isRedacted: boolean): Promise<Result> {
  const { api, env, globals, signal, streams, now } = context;
  const offline = globals.dryRun === true;
  const allFindings = await runChecks({ api, env, flags: globals, offline, signal, now });
  const reportedFindings = isRedacted ? redactFindings(allFindings) : allFindings;
  const findings = reportedFindings.map(({ remedy, ...finding }) => ({
    ...finding,
    remedy: remedy && formatHint(remedy, streams.repeatedFlags),
  }));
  const problems = findings.filter(({ status }) => status === 'problem');
  const [firstProblem] = problems;
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return {
    kind: 'data',
    isForPeople: true,
    data: findings.map(({ check, status, message, remedy = null, category = null }) => ({
      check,
      status,
      message,
      remedy,
      category,
    })),
    text: (display) => formatTable(findings, display),
    expectedFailure:
      firstProblem &&
      new Failure(
        firstProblem.category ?? 'internal',
        `boh doctor found ${count}. The first: ${firstProblem.check}.`,
        { hint: firstProblem.remedy },
      ),
  };
}

/** The checks whose messages contain only versions, times and scopes. Other messages can name hosts, users, profiles and files. */
const publicChecks: readonly string[] = ['Node', 'Clock', 'Scopes'];

/** Returns the findings without messages and remedies that can contain private names. */
function redactFindings(findings: readonly Finding[]): Finding[] {
  return findings.map((finding) => {
    if (publicChecks.includes(finding.check)) return finding;
    const { check, status, category } = finding;
    const message = category === undefined ? 'redacted' : `redacted; error category: ${category}`;
    return { check, status, message, ...(category !== undefined && { category }) };
  });
}

/** Returns a table with status, check and result; the remedy is on the next line. */
function formatTable(
  findings: readonly (Omit<Finding, 'remedy'> & { remedy: string | undefined })[],
  { width, color, unicode }: DisplayOptions,
): string {
  const paint = createPaint(color);
  const statuses = unicode ? statusSymbols : statusWords;
  const checkWidth = Math.max(...findings.map(({ check }) => check.length)) + 2;
  const statusWidth = Math.max(...Object.values(statuses).map((text) => text.length)) + 1;
  const textWidth = Math.max(20, Math.min(width, 100) - statusWidth - checkWidth);
  const lines = findings.flatMap(({ check, status, message, remedy }) => {
    const [firstText = '', ...continuationLines] = [
      message,
      ...(remedy === undefined ? [] : [remedy]),
    ].flatMap((text) => wrapWords(cleanLine(text), textWidth));
    const firstLine =
      colorsFor(paint)[status](statuses[status].padEnd(statusWidth)) + check.padEnd(checkWidth) + firstText;
    return [firstLine, ...continuationLines.map((text) => ' '.repeat(statusWidth + checkWidth) + text)];
  });
  return `${lines.join('\n')}\n`;
}

type StatusLabels = Readonly<Record<Finding['status'], string>>;

const statusSymbols: StatusLabels = { ok: '✓', warning: '!', problem: '✗', skipped: '–' };
const statusWords: StatusLabels = { ok: 'ok', warning: 'warning', problem: 'problem', skipped: 'skipped' };

function colorsFor({ green, yellow, red, dim }: Paint): Record<Finding['status'], (text: string) => string> {
  return { ok: green, warning: yellow, problem: red, skipped: dim };
}
