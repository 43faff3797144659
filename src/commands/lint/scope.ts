/** Reads the rules, resources and files that `boh lint` checks from its command line. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Option } from 'commander';
import { usage } from '../../base/errors.ts';
import type { Context } from '../../context/context.ts';
import { readSource } from '../../input/text-source.ts';
import { refuseUnknownRules } from '../../lint/rule.ts';
import { rules } from '../../lint/rules/index.ts';
import { type Check, checksOf } from '../../lint/run-rules.ts';
import { parseUserRules, type UserRule } from '../../lint/user-rules.ts';
import type { Command } from '../command.ts';
import { listableResources, repeatableList, resolveResources } from '../flags/shared-flags.ts';

/** The flags that choose rules and records, not yet validated. */
export interface LintSourceFlags {
  rule: string[];
  excludeRule: string[];
  rules: string[];
  mirror?: boolean;
}

/** Adds the flags that choose rules and records. */
export function addLintSourceFlags(command: Command): void {
  const options = [
    repeatableList('--rule <rules>', 'only these rules, separated by commas (repeatable)'),
    repeatableList('--exclude-rule <rules>', 'all rules except these (repeatable)'),
    repeatableList(
      '--rules <path>',
      'also run your own rules: a YAML file or a folder; each rule is a query on the mirror',
    ),
  ];
  for (const option of options) command.addOption(option.default([], 'none'));
  command.addOption(new Option('--mirror', 'read the records from the mirror instead of the account'));
}

/** The checks, rules and files of a command line. */
export interface LintScope {
  checks: Check[];
  userRules: UserRule[];
  /** Files and folders with declared records; empty to check the account. */
  paths: string[];
}

/** Returns the checks to run. Throws a usage failure for unknown names, before any request is sent. */
export async function readLintScope(
  args: readonly string[],
  flags: LintSourceFlags,
  context: Context,
): Promise<LintScope> {
  const { api } = context;
  const isPath = (arg: string) => arg === '-' || /[/.]/.test(arg) || existsSync(arg);
  const paths = args.filter((arg) => !api.findResource(arg) && isPath(arg));
  const resourceArgs = args.filter((arg) => !paths.includes(arg));
  const resourceNames = resourceArgs.length > 0 ? resourceArgs : undefined;
  const resources = await resolveResources(resourceNames, 'boh lint', listableResources(api), api);
  if (paths.length > 0 && flags.mirror) throw usage("--mirror can't be combined with files.");
  const allUserRules = await readRuleFiles(flags.rules, context);
  const allRules = [...rules, ...allUserRules];
  const names = allRules.map(({ name }) => name);
  const duplicates = allUserRules.filter(({ name }) => names.indexOf(name) !== names.lastIndexOf(name));
  if (duplicates.length > 0) throw usage(`Two rules have the name ${duplicates[0]?.name}.`);
  refuseUnknownRules([...flags.rule, ...flags.excludeRule], allRules);
  const isSelected = ({ name }: { name: string }) =>
    (flags.rule.length === 0 || flags.rule.includes(name)) && !flags.excludeRule.includes(name);
  const isInScope = ({ resource }: UserRule) => resources?.includes(resource) ?? true;
  const userRules = allUserRules.filter((rule) => isSelected(rule) && isInScope(rule));
  return { checks: checksOf(rules.filter(isSelected), api, resources), userRules, paths };
}

/** Reads the files of `--rules`. */
async function readRuleFiles(paths: readonly string[], { api, streams }: Context): Promise<UserRule[]> {
  if (paths.length === 0) return [];
  const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const yamlIn = (path: string) => readdirSync(path).filter((name) => /\.ya?ml$/.test(name));
  const filesIn = (path: string) =>
    yamlIn(path)
      .sort()
      .map((name) => join(path, name));
  const rules: UserRule[] = [];
  for (const file of paths.flatMap((path) => (isFolder(path) ? filesIn(path) : [path]))) {
    const { text } = await readSource({ argument: `@${file}`, flag: '--rules' }, streams);
    rules.push(...parseUserRules(text, file, api));
  }
  return rules;
}
