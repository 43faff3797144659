import { describe, expect, it } from 'vitest';
import { formatNames } from '../../src/account/settings/format-names.ts';
import { scopeNames } from '../../src/api/contract/scope.ts';
import { failureCategories } from '../../src/api/reference/failure-categories.ts';
import { fieldDetails } from '../../src/api/reference/field-details.ts';
import { findSubject } from '../../src/api/reference/subjects.ts';
import { allScopeDetails, findTopic } from '../../src/api/reference/topics.ts';
import { api } from '../../src/api/resources/index.ts';
import { exitCodes } from '../../src/base/errors.ts';

function detailsOf(name: string) {
  const subject = findSubject(name, api);
  if (subject?.kind !== 'field') throw new Error(`${name} isn't a field`);
  return fieldDetails(subject.location);
}

describe('fieldDetails', () => {
  it('contain the type, the unit, the commands and flags that write the field, and the commands that return it', () => {
    expect(detailsOf('inventory-items.storage_to_ingredient_factor')).toMatchObject({
      type: 'number',
      unit: 'ingredient units in one storage unit',
      example: '1000',
      written_by: [
        {
          command: 'inventory-items create',
          flag: '--storage-to-ingredient-factor <number>',
          required: true,
          scopes: ['inventory.settings.write'],
        },
        { command: 'inventory-items update', required: false },
      ],
      shown_by: [{ command: 'inventory-items list' }, { command: 'inventory-items get' }],
    });
  });

  it('contain all allowed words with their meanings', () => {
    expect(detailsOf('payment-methods.type').words).toContainEqual({ word: '3rd-party', value: 7 });
    expect(detailsOf('users.notifications').words).toHaveLength(17);
    expect(detailsOf('users.notifications').words.every(({ meaning }) => meaning)).toBe(true);
  });

  it('contain the scopes that a field needs in addition to those of the command', () => {
    const { shown_only_with, changed_only_with } = detailsOf('customers.house_account_limit');
    expect([shown_only_with, changed_only_with]).toEqual([
      'customers.accounts.read',
      'customers.accounts.write',
    ]);
  });

  it('contain each rule separately', () => {
    expect(detailsOf('payment-methods.type').rules).toEqual([
      'New records accept only cash, card, other and 3rd-party.',
      'A token with only orders.limited.pay can write only 3rd-party.',
      "Set at creation; updates can't change it.",
    ]);
    expect(detailsOf('addresses.latitude').rules).toContain('From -90 to 90.');
    expect(detailsOf('addresses.delivery_zone').rules).toContain('Can be empty: --clear delivery_zone_id.');
    expect(detailsOf('customers.addresses').rules).toContain('The inverse of addresses.customer.');
    expect(detailsOf('inventory-counts.items').rules).toContain(
      'Write each as ID=NUMBER, where the number is the quantity.',
    );
  });

  it('of a value of a link: contain the commands of the link, or the notation id=number', () => {
    expect(detailsOf('suppliers.items.cost').written_by.map(({ command }) => command)).toEqual([
      'suppliers update',
      'suppliers link-item',
    ]);
    expect(detailsOf('suppliers.items').written_by.map(({ command }) => command)).toEqual([
      'suppliers update',
      'suppliers link-item',
      'suppliers unlink-item',
    ]);
    expect(detailsOf('inventory-counts.items.quantity').written_by[0]?.flag).toBe('--items <id=number,...>');
  });

  it('of a secret: contain no flag and no example', () => {
    const { written_by, example } = detailsOf('users.pin');
    expect(written_by.map(({ flag }) => flag)).toEqual([undefined, undefined]);
    expect(example).toBeNull();
    expect(detailsOf('users.password').shown_by).toEqual([]);
  });
});

describe('allScopeDetails', () => {
  it('contain each scope, and every command that requires a scope', () => {
    const details = allScopeDetails(api);
    expect(details.map(({ scope }) => scope)).toEqual(scopeNames);
    const withScopes = api.operations.filter(({ scopes }) => scopes.length > 0);
    expect(new Set(details.flatMap(({ commands }) => commands)).size).toBe(withScopes.length);
  });
});

describe('failureCategories', () => {
  it('contain every category with its exit code', () => {
    expect(failureCategories.map(({ category, exit_code }) => [category, exit_code])).toEqual(
      Object.entries(exitCodes),
    );
  });
});

describe('the topic of output formats', () => {
  it('describes every format', () => {
    expect(Object.keys(Object(findTopic('formats')?.data(api)))).toEqual(formatNames);
  });
});
