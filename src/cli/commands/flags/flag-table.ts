/** Declares flags as tables. The text of a flag defines its option for commander, its help, and the type of its value. */
import { Option } from 'commander';
import { type FieldMessages, violations } from '../../../base/errors.ts';
import { orDidYouMean } from '../../../base/suggest.ts';
import { BooleanOption } from '../command.ts';

/** How the value of a flag is read and shown. Without a rule the value is the text. */
export interface FlagRule {
  /** The allowed words. Help doesn't list them; completion suggests them. Other words are a usage failure. */
  words?: readonly string[];
  /** The allowed words, if help lists them. */
  choices?: readonly string[];
  /** Words that completion suggests; others are allowed, too. */
  suggestions?: readonly string[];
  /** Parses the text; `previous` is the value of the flag before it, if it is repeated. */
  parse?(text: string, previous: never): unknown;
  default?: unknown;
  /** The text of the default in help. */
  defaultText?: string;
  /** The name of a flag that can't be combined with this one. */
  conflicts?: string;
  isRequired?: true;
  /** Whether the flag also has the forms `--no-name` and `--name=false`. */
  isBoolean?: true;
  heading?: string;
}

/** A flag: its text in commander's notation, such as `--sort <fields>`, its description and its rule. */
export type Flag = readonly [text: string, about: string, rule?: FlagRule];
export type FlagTable = readonly Flag[];

/** The name of the value: `onDeleted` for `--on-deleted <action>`, `wait` for `--no-wait`. Never for a computed text. */
type NameOf<Text extends string> = string extends Text
  ? never
  : Text extends `${string}--no-${infer Name}`
    ? CamelCase<Name>
    : Text extends `${string}--${infer Name} ${string}`
      ? CamelCase<Name>
      : Text extends `${string}--${infer Name}`
        ? CamelCase<Name>
        : never;

type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

type ValueOf<Row extends Flag> = Row extends readonly [string, string, infer Rule]
  ? Rule extends { parse(text: string, previous: never): infer Value }
    ? Value
    : Rule extends { words: readonly (infer Word)[] } | { choices: readonly (infer Word)[] }
      ? Word
      : TextValueOf<Row[0]>
  : TextValueOf<Row[0]>;

type TextValueOf<Text extends string> = Text extends `${string}--no-${string}`
  ? false
  : Text extends `${string}<${string}>`
    ? string
    : Text extends `${string}[${string}]`
      ? string | true
      : boolean;

type IsAlwaysSet<Row extends Flag> = Row extends readonly [
  string,
  string,
  { default: unknown } | { isRequired: true },
]
  ? true
  : false;

type OptionalValues<Table extends FlagTable> = {
  [Row in Table[number] as IsAlwaysSet<Row> extends true ? never : NameOf<Row[0]>]?: ValueOf<Row>;
};

type RequiredValues<Table extends FlagTable> = {
  [Row in Table[number] as IsAlwaysSet<Row> extends true ? NameOf<Row[0]> : never]: ValueOf<Row>;
};

/** `--no-wait` alone is true or false; `--no-ledger` beside `--ledger <file>` only adds false. */
type WithTrue<Values> = {
  [Name in keyof Values]: [Values[Name]] extends [false | undefined] ? boolean : Values[Name];
};

export type FlagsOf<Table extends FlagTable> = WithTrue<OptionalValues<Table>> & RequiredValues<Table>;

export function under<const Table extends FlagTable>(heading: string, table: Table): Table {
  return table.map(([text, about, rule]) => [text, about, { ...rule, heading }]) as FlagTable as Table;
}

/** Returns the rule of a flag that can be repeated, whose value is the list of all values. `split` splits each of them. */
export function repeatedBy(split: (text: string) => readonly string[]) {
  return {
    parse: (text: string, previous: readonly string[] = []): readonly string[] => [
      ...previous,
      ...split(text),
    ],
  };
}

export const repeated = repeatedBy((text) => [text]);

/** A flag that can be repeated, and whose values may also be separated by commas. */
export const repeatedList = repeatedBy((text) => text.split(','));

/** The default of a repeatable flag whose value is an empty list without the flag. */
export const orNone = { default: [], defaultText: 'none' } as const;

/** A flag with words that completion suggests. Unless it is open, `choiceProblems` reports other words. */
export class ChoiceOption extends Option {
  readonly words: readonly string[];
  readonly isOpen: boolean;

  constructor(flags: string, about: string, words: readonly string[], isOpen = false) {
    super(flags, about);
    this.words = words;
    this.isOpen = isOpen;
  }
}

export function optionOf([text, about, rule = {}]: Flag): Option {
  const {
    suggestions,
    words = suggestions,
    choices,
    parse,
    conflicts,
    isRequired,
    isBoolean,
    heading,
  } = rule;
  const option = words
    ? new ChoiceOption(text, about, words, words === suggestions)
    : new (isBoolean ? BooleanOption : Option)(text, about);
  if (choices) option.choices(choices);
  if (parse) option.argParser(parse as (text: string, previous: unknown) => unknown);
  if ('default' in rule) option.default(rule.default, rule.defaultText);
  if (conflicts) option.conflicts(conflicts);
  if (heading) option.helpGroup(heading);
  return option.makeOptionMandatory(isRequired ?? false);
}

/** Returns the problems of flags whose value isn't one of their words, by flag. */
export function choiceProblems(
  options: readonly Option[],
  values: Readonly<Record<string, unknown>>,
): FieldMessages {
  const problems: FieldMessages = Object.create(null);
  for (const option of options) {
    if (!(option instanceof ChoiceOption) || option.isOpen) continue;
    const value = values[option.attributeName()];
    if (typeof value === 'string' && !option.words.includes(value))
      problems[option.name()] = [
        `${option.long} must be ${joinAlternatives(option.words)}${orDidYouMean(value, option.words)}`,
      ];
  }
  return problems;
}

/** Joins words with commas and "or": `create, update or upsert`. */
export function joinAlternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Throws one usage failure with all problems of the flags, if there are any. */
export function refuseFlags(problems: FieldMessages): void {
  if (Object.keys(problems).length > 0) throw violations('command line', problems);
}
