/** `boh doctor`: looks at all that has to be right for a command to work, and says what to do where it isn't. */
import { Failure } from '../base/errors.ts';
import { hintText } from '../base/hint.ts';
import type { Context } from '../context/context.ts';
import { examine } from '../diagnosis/examine.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { present } from '../output/present.ts';
import type { Page } from '../output/result.ts';
import { wrap } from '../reference/plain-text.ts';
import { cleanLine } from '../terminal/clean.ts';
import { type Paint, painter } from '../terminal/color.ts';
import { Command } from './command.ts';
import { prepare } from './prepare.ts';

export function doctorCommand(context: Context): Command {
  return prepare(new Command('doctor'))
    .description(
      'Find out why a command doesn’t work: Node, configuration, network, clock, token, scopes, sandboxes.',
    )
    .addHelpText('after', '\nIt ends with 0 when all is well, else with the exit code of the first problem.')
    .action(() => run(context));
}

async function run(context: Context): Promise<void> {
  const { api, env, globals, signal, streams, now } = context;
  const offline = globals.dryRun === true;
  const found = await examine({ api, env, flags: globals, offline, signal, now });
  const findings = found.map(({ remedy, ...finding }) => ({
    ...finding,
    remedy: remedy && hintText(remedy, streams.repeated),
  }));
  await present(context, {
    kind: 'facts',
    isForPeople: true,
    facts: findings.map(({ check, status, message, remedy = null, category = null }) => ({
      check,
      status,
      message,
      remedy,
      category,
    })),
    text: (page) => tableOf(findings, page),
  });
  const problems = findings.filter(({ status }) => status === 'problem');
  const [first] = problems;
  if (!first) return;
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  throw new Failure(
    first.category ?? 'internal',
    `boh doctor found ${count}, the first with: ${first.check}.`,
    { hint: first.remedy },
  );
}

/** A mark, what was looked at, what was found; what to do stands below. */
function tableOf(
  findings: readonly (Omit<Finding, 'remedy'> & { remedy: string | undefined })[],
  { width, color, unicode }: Page,
): string {
  const paint = painter(color);
  const marks = unicode ? signs : words;
  const left = Math.max(...findings.map(({ check }) => check.length)) + 2;
  const mark = Math.max(...Object.values(marks).map((text) => text.length)) + 1;
  const room = Math.max(20, Math.min(width, 100) - mark - left);
  const lines = findings.flatMap(({ check, status, message, remedy }) => {
    const [first = '', ...others] = [message, ...(remedy === undefined ? [] : [remedy])].flatMap((text) =>
      wrap(cleanLine(text), room),
    );
    const head = colors(paint)[status](marks[status].padEnd(mark)) + check.padEnd(left) + first;
    return [head, ...others.map((text) => ' '.repeat(mark + left) + text)];
  });
  return `${lines.join('\n')}\n`;
}

type Marks = Readonly<Record<Finding['status'], string>>;

const signs: Marks = { ok: '✓', warning: '!', problem: '✗', skipped: '–' };
const words: Marks = { ok: 'ok', warning: 'warning', problem: 'problem', skipped: 'skipped' };

function colors({ green, yellow, red, dim }: Paint): Record<Finding['status'], (text: string) => string> {
  return { ok: green, warning: yellow, problem: red, skipped: dim };
}
