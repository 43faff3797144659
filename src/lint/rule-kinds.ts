/** Makes the rules of two common kinds: a value that two records share, and a record that lacks something. */
import { isOn, nameOf, repeated, textIn } from './account.ts';
import { type Rule, wrong } from './rule.ts';

type Described = Pick<Rule, 'name' | 'severity' | 'summary' | 'reason'>;

/** A field in which two records must not have the same value; messages call it `called`, and `examples` differ. */
interface Sharing extends Described {
  resource: string;
  field: string;
  called: string;
  examples: readonly [string, string];
}

/** Returns a rule for records that share a value with an earlier one, in whatever case. */
export function sameValue({ resource, field, called, examples, ...described }: Sharing): Rule {
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

/** Lists of a record, of which one must not be empty, unless the field `unless` is true. */
interface Lacking extends Described {
  resource: string;
  fields: readonly string[];
  message: string;
  fix: readonly string[];
  unless?: string;
}

/** Returns a rule for records in which all of the lists are empty. */
export function lacking({ resource, fields, message, fix, unless = '', ...described }: Lacking): Rule {
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
