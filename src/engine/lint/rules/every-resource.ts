/** Rules for every resource with the checked fields: names, phone numbers, and relations to missing records. */

import { choicesFixedOnCreation, identifiesPeople } from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Api } from '../../../api/contract/api.ts';
import type { Field } from '../../../api/contract/field.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { findDuplicates, idsIn, trimmedText } from '../account.ts';
import { type Issue, issue, type Reads, type Rule } from '../rule.ts';

/** A business uses a second language if at least this share of its records has a localized name. */
const minLocalizedShare = 0.5;

/** Returns the matching fields of each resource that can be listed and has any. */
const fieldsOf =
  (choose: (field: Field, name: string, resource: Resource) => boolean) =>
  ({ collections }: Api): Reads =>
    Object.fromEntries(
      collections.flatMap((resource) => {
        const { name, fields, list } = resource;
        const matchingFields = Object.entries(fields).flatMap(([fieldName, field]) =>
          choose(field, fieldName, resource) ? [fieldName] : [],
        );
        return list && matchingFields.length > 0 ? [[name, matchingFields]] : [];
      }),
    );

const isTitle = (field: Field, name: string) => name === 'name' && field.traits.writable !== undefined;
const relations = fieldsOf(({ kind, traits }) => (kind === 'one' || kind === 'many') && !traits.inverseOf);

/** The rules that apply to several resources. */
export const everyResourceRules: readonly Rule[] = [
  {
    name: 'name-has-extra-blanks',
    severity: 'warning',
    summary: 'Names with leading, trailing or repeated spaces',
    reason: "People don't see the extra spaces, and searches, imports and `@NAME` don't find the record.",
    checks: fieldsOf(isTitle),
    checkRecord({ name }) {
      if (typeof name !== 'string') return undefined;
      const trimmedName = name.trim().replaceAll(/\s+/g, ' ');
      if (trimmedName === name || trimmedName === '') return undefined;
      return { message: `The name has extra spaces: "${name}".`, fixValues: { name: trimmedName } };
    },
    bad: [{ name: 'Huda  Al-Amin ' }],
    good: { name: 'Huda Al-Amin' },
  },
  {
    name: 'person-without-name',
    severity: 'warning',
    summary: 'Customers and users without a name',
    reason: 'Staff see an empty line instead of a name.',
    checks: fieldsOf(({ traits }, name) => name === 'name' && traits.form === 'person'),
    checkRecord: ({ name }) =>
      name === undefined || trimmedText(name)
        ? undefined
        : issue('The name is missing.', 'update', '--name', 'NAME'),
    bad: [{ name: '' }],
    good: { name: 'Huda' },
  },
  {
    name: 'phone-has-letters',
    severity: 'warning',
    summary: 'Phone numbers with letters',
    reason: "A number with an O instead of a 0 can't be called or found.",
    checks: fieldsOf(({ traits }) => traits.form === 'phone'),
    checkRecord: ({ phone }) =>
      typeof phone === 'string' && /\p{L}/u.test(phone)
        ? issue(`The phone number has letters: ${phone}.`, 'update', '--phone', 'PHONE')
        : undefined,
    bad: [{ phone: '05O 123 4567' }],
    good: { phone: '050 123 4567' },
  },
  {
    name: 'name-differs-only-in-case-or-blanks',
    severity: 'warning',
    summary: 'Records of the same resource whose names differ only in case or spaces',
    reason: 'Staff use both records, so reports show only a part of the sales under each name.',
    checks: fieldsOf(
      (field, name, resource) =>
        (isTitle(field, name) || isInKey(name, resource)) && hasUniqueNames(resource),
    ),
    *checkAll({ resource, account }) {
      const keyFields = Object.keys(resource.fields).filter((name) => isInKey(name, resource));
      const keyOf = (row: Row) => {
        const name = trimmedText(row.name)?.toLowerCase().replaceAll(/\s+/g, '');
        const key = keyFields.map((field) => idsIn(row[field])[0] ?? row[field] ?? null);
        return name && JSON.stringify([name, ...key]);
      };
      for (const [row, first] of findDuplicates(account.rows(resource.name), keyOf)) {
        const message = `The name is the same as that of "${first.name}" (${first.id}), ignoring case and spaces.`;
        yield [row, issue(message, 'update', '--name', 'NAME')];
      }
    },
    bad: { suppliers: [{ name: 'Fresh Farms' }, { name: 'fresh  farms' }] },
    good: { name: 'Green Valley' },
  },
  {
    name: 'name-localized-missing',
    severity: 'info',
    summary: 'Records without a name in the second language, where most others have one',
    reason: 'Menus and receipts in that language show a gap or a foreign word.',
    checks: fieldsOf(({ traits }) => traits.localizes !== undefined),
    checkRecord(row, { resource, account }) {
      const rows = account.rows(resource.name);
      const isUsed = account.memoize(`${resource.name} localized`, () => {
        const localizedCount = rows.filter(({ name_localized: name }) => trimmedText(name)).length;
        return localizedCount > 0 && localizedCount >= rows.length * minLocalizedShare;
      });
      const isMissing = row.name_localized !== undefined && !trimmedText(row.name_localized);
      if (!isUsed || !isMissing) return undefined;
      return issue('The name in the second language is missing.', 'update', '--name-localized', 'NAME');
    },
    bad: {
      tags: [
        { name: 'Regular', name_localized: 'دائم' },
        { name: 'VIP', name_localized: null },
      ],
    },
    good: { name_localized: 'مميز' },
  },
  {
    name: 'relation-to-missing-record',
    severity: 'error',
    summary: 'Relations to records that were deleted or never existed',
    reason: "The related category, zone or supplier doesn't exist, so menus and reports omit the record.",
    checks: relations,
    needsWholeLists: true,
    needs: (api) => Object.fromEntries(targetsOf(relations(api), api).map((name) => [name, []])),
    checkRecord(row, { resource, account }) {
      const checkedRelations = account.memoize(`relations of ${resource.name}`, () =>
        (relations(account.api)[resource.name] ?? []).flatMap((name) => {
          const { target = '' } = resource.fields[name]?.traits ?? {};
          return account.has(target) ? [{ name, target }] : [];
        }),
      );
      return checkedRelations.flatMap(({ name, target }): Issue[] => {
        const missing = idsIn(row[name]).filter((id) => !account.find(target, id));
        return missing.map((id) => ({
          message: `${name} refers to ${account.api.nounOf(target)} ${id}, which doesn't exist.`,
          part: `${name}/${id}`,
          fix: ['get'],
        }));
      });
    },
    bad: {
      inventory_items: [{ name: 'Tomatoes', category: { id: 'deleted' } }],
      inventory_item_categories: [{ id: 'vegetables', name: 'Vegetables' }],
    },
    good: { category: { id: 'vegetables' } },
  },
];

/** Returns whether a field distinguishes records with the same name, such as the branch of sections or the type of tags. */
function isInKey(name: string, resource: Resource): boolean {
  return (
    name === 'branch' || choicesFixedOnCreation(resource).some(({ responseName }) => responseName === name)
  );
}

function hasUniqueNames(resource: Resource): boolean {
  return resource.fields.name !== undefined && !identifiesPeople(resource) && resource.key.length > 0;
}

function targetsOf(reads: Reads, api: Api): string[] {
  const targets = Object.entries(reads).flatMap(([name, fields]) =>
    fields.map((field) => api.resource(name)?.fields[field]?.traits.target ?? ''),
  );
  return [...new Set(targets)].filter((name) => api.resource(name)?.list !== undefined);
}
