/** Makes the rules of two common kinds: a value that two records share, and a record that lacks something. */
import { isOn, nameOf, repeated, textIn } from './account.ts';
import { type Rule, wrong } from './rule.ts';

type Described = Pick<Rule, 'name' | 'severity' | 'summary' | 'reason'>;

/** Messages call the value `called`; the two examples differ. */
interface Sharing extends Described {
  called: string;
  examples: readonly [string, string];
}

/** Returns a rule for records that share a value with an earlier one, in whatever case. */
export function sameValue(
  resource: string,
  field: string,
  { called, examples, ...described }: Sharing,
): Rule {
  return {
    ...described,
    on: { [resource]: [field] },
    *all({ resource: own, account }) {
      for (const [row, first] of repeated(account.rows(resource), (each) =>
        textIn(each[field])?.toLowerCase(),
      )) {
        const message = `Has the ${called} of ${nameOf(first, own)} (${first.id}): ${row[field]}.`;
        yield [row, wrong(message, 'update', `--${field}`, field.toUpperCase())];
      }
    },
    bad: [{ [field]: examples[0] }, { [field]: examples[0] }],
    good: { [field]: examples[1] },
  };
}

/** Records in which the field `unless` is true are exempt. */
interface Lacking extends Described {
  message: string;
  fix: readonly string[];
  unless?: string;
}

/** Returns a rule for records in which all of the lists are empty. */
export function lacking(resource: string, fields: readonly string[], given: Lacking): Rule {
  const { message, fix, unless = '', ...described } = given;
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  return {
    ...described,
    on: { [resource]: unless ? [...fields, unless] : fields },
    each: (row) =>
      fields.every((field) => isEmpty(row[field])) && !isOn(row[unless]) ? wrong(message, ...fix) : undefined,
    bad: [Object.fromEntries(fields.map((field) => [field, []]))],
    good: { [fields[0] ?? '']: [{ id: 'example' }] },
  };
}
