/** The form of a rule: what it reads, how it finds mistakes, and examples that are its test and its documentation. */
import type { Api } from '../contract/api.ts';
import type { Resource } from '../contract/resource.ts';
import type { Row } from '../session/row.ts';
import type { LintAccount } from './account.ts';

/** How bad a finding is, the worst first. */
export const severities = ['error', 'warning', 'info'] as const;
/** How bad a finding is. */
export type Severity = (typeof severities)[number];

/** Fields by resource, both by the API's names. */
export type Reads = Readonly<Record<string, readonly string[]>>;

/** What is wrong with a record: a sentence, or the sentence with what fixes it. */
export type Trouble = string | TroubleWithFix;

/** A sentence on what is wrong with a record, and what fixes it. */
export interface TroubleWithFix {
  message: string;
  /** The words of the command that fixes it, without resource and id: `['update', '--cost', 'COST']`. */
  fix?: readonly string[];
  /** The values that fix it, by the names of request fields, where there is only one right answer. */
  set?: Row;
  /** The id of the option, or of the other record, that the finding is about: it is part of the finding's identity. */
  part?: string;
}

/** Returns a sentence on what is wrong with a record, with the words of the command that fixes it. */
export function wrong(message: string, ...fix: string[]): TroubleWithFix {
  return { message, fix };
}

/** Records by resource, or records of the first resource that the rule checks. */
export type Example = readonly Row[] | Readonly<Record<string, readonly Row[]>>;

/** What people read of a rule. */
export interface Described {
  /** The name in kebab case, which scripts and baselines use. */
  name: string;
  severity: Severity;
  /** What the rule finds, as a noun phrase. */
  summary: string;
  /** One or two sentences on why it matters. */
  reason: string;
}

/**
 * A rule, declared as data. A field that a record doesn't have is unknown, and no mistake: the source doesn't show it.
 * An empty field is null or an empty list.
 */
export interface Rule extends Described {
  /** The resources that the findings are about, with the fields that the rule reads of them. */
  on: Reads | ((api: Api) => Reads);
  /** What else it reads. The rule is skipped if the token can't list it. */
  needs?: Reads | ((api: Api) => Reads);
  /** Whether it finds that something is on no list, so that it needs all records of the account. */
  needsWholeLists?: true;
  /** Returns what is wrong with a record. A rule has this or `all`. */
  each?(row: Row, place: RulePlace): Trouble | readonly Trouble[] | undefined;
  /** Yields the records with mistakes, where a mistake shows only among several records. */
  all?(place: RulePlace): FoundRows | AsyncFoundRows;
  /** Records with a mistake in the last one of the first resource. It is a test of the rule and part of its page. */
  bad: Example;
  /** The values of that record without the mistake. */
  good: Row;
}

/** Records with what is wrong with them. */
type FoundRows = Iterable<readonly [Row, Trouble]>;
type AsyncFoundRows = AsyncIterable<readonly [Row, Trouble]>;

/** What a rule is applied to. */
export interface RulePlace {
  /** The resource of the records that are checked. */
  resource: Resource;
  account: LintAccount;
}

/** Returns what a rule reads of the resources that its findings are about. */
export function checkedBy({ on }: Rule, api: Api): Reads {
  return typeof on === 'function' ? on(api) : on;
}

/** Returns what a rule reads of other resources. */
export function neededBy({ needs = {} }: Rule, api: Api): Reads {
  return typeof needs === 'function' ? needs(api) : needs;
}

/** Returns the records of the example by resource, with the mistake or without it. Records without an id get one. */
export function exampleRecords(rule: Rule, api: Api, isCorrect: boolean): Map<string, Row[]> {
  const { bad, good } = rule;
  const [first = ''] = Object.keys(checkedBy(rule, api));
  const lists = isList(bad) ? { [first]: bad } : bad;
  const [own] = Object.keys(lists);
  const withIds = ([name, rows]: [string, readonly Row[]]): [string, Row[]] => {
    const all = rows.map((row, at) => ({ id: `${name}-${at + 1}`, ...row }));
    const isLast = (at: number) => isCorrect && name === own && at === all.length - 1;
    return [name, all.map((row, at) => (isLast(at) ? { ...row, ...good } : row))];
  };
  return new Map(Object.entries(lists).map(withIds));
}

function isList(example: Example): example is readonly Row[] {
  return Array.isArray(example);
}
