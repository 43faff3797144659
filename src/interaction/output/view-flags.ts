/** What was asked of the layout of results. What would have no effect is refused, and not passed over in silence. */
import { usage } from '../../errors.ts';
import type { Format, LayoutChoice } from '../../terminal/formats/format.ts';
import { formats } from '../../terminal/formats/index.ts';

/** As typed. */
export interface ViewFlags {
  columns?: string;
  query?: string;
  raw?: boolean;
  wide?: boolean;
  localTime?: boolean;
  bom?: boolean;
  include?: string;
  /** Of a list. */
  limit?: string;
}

const flagOf: Readonly<Record<LayoutChoice, string>> = {
  columns: '--columns',
  wide: '--wide',
  localTime: '--local-time',
  bom: '--bom',
};
const choices = Object.keys(flagOf) as LayoutChoice[];

/** For a result that has no layout: throws where a flag asks for one. `what` begins the sentence. */
export function refuseLayout(flags: ViewFlags, what: string): void {
  const given = [
    ...choices
      .filter((choice) => flags[choice] !== undefined && flags[choice] !== false)
      .map((it) => flagOf[it]),
    ...(flags.query === undefined ? [] : ['--query']),
    ...(flags.raw ? ['--raw'] : []),
  ];
  if (given.length > 0) throw usage(`${what}: leave out ${listed(given)}.`);
}

/** Sentences for a person, none where all is well. `named` is the format that the line itself asks for. */
export function viewProblems(flags: ViewFlags, format: Format, named: Format | undefined): string[] {
  const given = choices.filter((choice) => flags[choice] !== undefined && flags[choice] !== false);
  if (flags.raw) {
    const others = [
      ...given.map((choice) => flagOf[choice]),
      ...(flags.query === undefined ? [] : ['--query']),
      ...(flags.limit === undefined ? [] : ['--limit']),
      ...(named === undefined || named.name === 'json' ? [] : [`-o ${named.name}`]),
    ];
    return others.length === 0 ? [] : [`--raw prints bodies as they came: leave out ${listed(others)}.`];
  }
  const byQuery: readonly LayoutChoice[] = flags.query === undefined ? [] : ['columns', 'localTime'];
  const useless = given.filter((choice) => byQuery.includes(choice)).map((choice) => flagOf[choice]);
  return [
    ...(useless.length === 0 ? [] : [`--query says itself what is shown: leave out ${listed(useless)}.`]),
    ...given
      .filter((choice) => !byQuery.includes(choice) && !format.choices.includes(choice))
      .map((choice) => `${flagOf[choice]} goes with ${formatsWith(choice)}, and this is ${format.name}.`),
  ];
}

function formatsWith(choice: LayoutChoice): string {
  const able = formats.filter((format) => (format.choices as readonly LayoutChoice[]).includes(choice));
  return listed(
    able.map(({ name }) => `-o ${name}`),
    'or',
  );
}

function listed(words: readonly string[], conjunction = 'and'): string {
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} ${conjunction} ${words.at(-1)}`;
}
