/** What `boh lint` checks: the rules and resources that its command line names, and the records they are read from. */
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Context } from '../../context/context.ts';
import type { Resource } from '../../contract/resource.ts';
import { LintAccount } from '../../lint/account.ts';
import type { Finding } from '../../lint/finding.ts';
import { readRecords } from '../../lint/read-records.ts';
import { rules } from '../../lint/rules/index.ts';
import { type Check, checksOf, possible, readsOf, runChecks } from '../../lint/run-rules.ts';
import type { Command } from '../command.ts';
import { listed, resourcesNamed } from '../flags/resource-flag.ts';

/** The flags that choose rules and records, as typed. */
export interface SourceFlags {
  rule: string[];
  excludeRule: string[];
}

const repeated = (text: string, before: string[]) => [...before, ...text.split(',')];

/** Adds the flags that choose rules and records. */
export function addSourceFlags(command: Command): void {
  const options = [
    new Option('--rule <rules>', 'only these rules, separated by commas (repeatable)'),
    new Option('--exclude-rule <rules>', 'all rules except these (repeatable)'),
  ];
  for (const option of options) command.addOption(option.argParser(repeated).default([], 'none'));
}

/** The checks that a command line asks for. */
export interface Chosen {
  checks: Check[];
  resources: readonly Resource[] | undefined;
}

/** Returns the chosen checks. Throws a usage failure for unknown names. */
export async function chosenChecks(
  words: readonly string[],
  flags: SourceFlags,
  { api }: Context,
): Promise<Chosen> {
  const resources = await resourcesNamed(words.length > 0 ? words : undefined, 'boh lint', listed(api), api);
  const names = rules.map(({ name }) => name);
  const wrong = [...flags.rule, ...flags.excludeRule].filter((name) => !names.includes(name));
  if (wrong.length > 0)
    throw usage(wrong.map((name) => `There is no rule "${name}".${didYouMean(name, names)}`).join(' '), {
      hint: 'The rules are listed in docs/reference/rules.md and by: boh explain rules',
    });
  const wanted = rules.filter(
    ({ name }) => (flags.rule.length === 0 || flags.rule.includes(name)) && !flags.excludeRule.includes(name),
  );
  return { checks: checksOf(wanted, api, resources), resources };
}

/** Reads the records and returns what the checks find in them, with notes on what could not be checked. */
export async function findingsIn(
  { checks }: Chosen,
  _flags: SourceFlags,
  context: Context,
): Promise<{ findings: Finding[]; checks: Check[]; remarks: string[] }> {
  const { api } = context;
  const { rows, missing } = await readRecords(await context.session(), readsOf(checks, api));
  const account = new LintAccount(api, context.now().toISOString().slice(0, 10), rows);
  const able = possible(checks, account);
  const skipped = new Set(checks.filter((check) => !able.includes(check)).map(({ rule }) => rule.name));
  const why = `because the token can't list ${missing.map(({ nouns }) => nouns).join(', ')}`;
  const remarks = skipped.size > 0 ? [`Skipped, ${why}: ${[...skipped].join(', ')}.`] : [];
  return { findings: await runChecks(able, account), checks: able, remarks };
}
