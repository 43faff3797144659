/** The declaration of a rule: what it reads, how it finds mistakes, and examples for its test and its documentation. */

import type { Row } from '../../account/session/row.ts';
import type { Api } from '../../api/contract/api.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { LintAccount } from './account.ts';

/** The severities, in descending order. */
export const severities = ['error', 'warning', 'info'] as const;
export type Severity = (typeof severities)[number];

/** Fields by resource, both by the API's names. */
export type Reads = Readonly<Record<string, readonly string[]>>;

/** A problem of a record: a sentence, or a sentence with its fix. */
export type Issue = string | IssueWithFix;

/** A sentence that describes the problem of a record, with its fix. */
export interface IssueWithFix {
  message: string;
  /** The command that fixes it, without resource and ID: `['update', '--cost', 'COST']`. */
  fix?: readonly string[];
  /** The values that fix it, by the names of request fields, if only one fix is possible. */
  fixValues?: Row;
  /** The ID of the option, or of the other record, that the finding is about. It is part of the finding's identity. */
  part?: string;
}

/** Returns a problem of a record with the command that fixes it. */
export function issue(message: string, ...fix: string[]): IssueWithFix {
  return { message, fix };
}

/** Records by resource, or records of the first resource that the rule checks. */
export type Example = readonly Row[] | Readonly<Record<string, readonly Row[]>>;

/** The name, severity and descriptions of a rule. */
export interface RuleInfo {
  /** The name in kebab case, which scripts and baselines use. */
  name: string;
  severity: Severity;
  /** What the rule finds, as a noun phrase. */
  summary: string;
  /** One or two sentences on why it matters. */
  reason: string;
}

/**
 * A rule, declared as data. A field that a record doesn't contain is unknown, which isn't a mistake: the source doesn't contain it.
 * An empty field is null or an empty list.
 */
export interface Rule extends RuleInfo {
  /** The resources whose records the rule checks, with the fields that it reads. */
  checks: Reads | ((api: Api) => Reads);
  /** Other resources and fields that it reads. The rule is skipped if the token can't list them. */
  needs?: Reads | ((api: Api) => Reads);
  /** Whether the rule needs all records of the account, because it finds records that don't exist or aren't used. */
  needsWholeLists?: true;
  /** Returns the problems of a record. A rule has either this or `checkAll`. */
  checkRecord?(row: Row, context: RuleContext): Issue | readonly Issue[] | undefined;
  /** Yields the records with problems, for problems that can only be found by comparing records. */
  checkAll?(context: RuleContext): RowIssues | AsyncRowIssues;
  /** Records; the last record of the first resource has a problem. Used in the rule's test and on its page. */
  bad: Example;
  /** The values of that record without the problem. */
  good: Row;
}

/** Records with their problems. */
type RowIssues = Iterable<readonly [Row, Issue]>;
type AsyncRowIssues = AsyncIterable<readonly [Row, Issue]>;

/** The records that a rule is applied to. */
export interface RuleContext {
  /** The resource of the records that are checked. */
  resource: Resource;
  account: LintAccount;
}

export function checkedFields({ checks }: Rule, api: Api): Reads {
  return typeof checks === 'function' ? checks(api) : checks;
}

export function neededFields({ needs = {} }: Rule, api: Api): Reads {
  return typeof needs === 'function' ? needs(api) : needs;
}

/** Returns the records of the example by resource, with or without the problem. Records without an ID get one. */
export function exampleRecords(rule: Rule, api: Api, isCorrect: boolean): Map<string, Row[]> {
  const { bad, good } = rule;
  const [first = ''] = Object.keys(checkedFields(rule, api));
  const examples = isList(bad) ? { [first]: bad } : bad;
  const [checkedResource] = Object.keys(examples);
  const withIds = ([name, rows]: [string, readonly Row[]]): [string, Row[]] => {
    const numberedRows = rows.map((row, index) => ({ id: `${name}-${index + 1}`, ...row }));
    const isLast = (index: number) =>
      isCorrect && name === checkedResource && index === numberedRows.length - 1;
    return [name, numberedRows.map((row, index) => (isLast(index) ? { ...row, ...good } : row))];
  };
  return new Map(Object.entries(examples).map(withIds));
}

function isList(example: Example): example is readonly Row[] {
  return Array.isArray(example);
}

/** Throws a usage failure that lists all names which aren't the name of a rule. */
export function refuseUnknownRules(names: readonly string[], rules: readonly { name: string }[]): void {
  const ruleNames = rules.map(({ name }) => name);
  const unknownNames = names.filter((name) => !ruleNames.includes(name));
  if (unknownNames.length === 0) return;
  const messages = unknownNames.map((name) => `Unknown rule "${name}".${didYouMean(name, ruleNames)}`);
  throw usage(messages.join(' '), { hint: boh.hint`To list all rules: ${boh.plain('explain', 'rules')}` });
}
