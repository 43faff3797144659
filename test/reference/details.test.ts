import { describe, expect, it } from 'vitest';
import { exitCodes } from '../../src/base/errors.ts';
import { scopeNames } from '../../src/contract/scope.ts';
import { failureCategories } from '../../src/reference/failure-categories.ts';
import { fieldDetails } from '../../src/reference/field-details.ts';
import { findSubject } from '../../src/reference/subjects.ts';
import { allScopeDetails } from '../../src/reference/topics.ts';
import { api } from '../../src/resources/index.ts';

function factsOf(name: string) {
  const subject = findSubject(name, api);
  if (subject?.kind !== 'field') throw new Error(`${name} isn't a field`);
  return fieldDetails(subject.location);
}

describe('facts about a field', () => {
  it('have its type, unit, the commands and flags that write it, and the commands that show it', () => {
    expect(factsOf('inventory-items.storage_to_ingredient_factor')).toMatchObject({
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

  it('list all allowed words with their meanings', () => {
    expect(factsOf('payment-methods.type').words).toContainEqual({ word: '3rd-party', value: 7 });
    expect(factsOf('users.notifications').words).toHaveLength(17);
    expect(factsOf('users.notifications').words.every(({ meaning }) => meaning)).toBe(true);
  });

  it('name the scopes that a field needs in addition to those of the command', () => {
    const { shown_only_with, changed_only_with } = factsOf('customers.house_account_limit');
    expect([shown_only_with, changed_only_with]).toEqual([
      'customers.accounts.read',
      'customers.accounts.write',
    ]);
  });

  it('list each rule separately', () => {
    expect(factsOf('payment-methods.type').rules).toEqual([
      'New records accept only cash, card, other and 3rd-party.',
      'A token with only orders.limited.pay can write only 3rd-party.',
      "Set at creation; updates can't change it.",
    ]);
    expect(factsOf('addresses.latitude').rules).toContain('From -90 to 90.');
    expect(factsOf('addresses.delivery_zone').rules).toContain('Can be empty: --clear delivery_zone_id.');
    expect(factsOf('customers.addresses').rules).toContain('The inverse of addresses.customer.');
    expect(factsOf('inventory-counts.items').rules).toContain(
      'Write each as ID=NUMBER, where the number is the quantity.',
    );
  });

  it('for values of a link: name the commands of the link, or the form id=number', () => {
    expect(factsOf('suppliers.items.cost').written_by.map(({ command }) => command)).toEqual([
      'suppliers update',
      'suppliers link-item',
    ]);
    expect(factsOf('suppliers.items').written_by.map(({ command }) => command)).toEqual([
      'suppliers update',
      'suppliers link-item',
      'suppliers unlink-item',
    ]);
    expect(factsOf('inventory-counts.items.quantity').written_by[0]?.flag).toBe('--items <id=number,...>');
  });

  it('contain no flag and no example of a secret', () => {
    const { written_by, example } = factsOf('users.pin');
    expect(written_by.map(({ flag }) => flag)).toEqual([undefined, undefined]);
    expect(example).toBeNull();
    expect(factsOf('users.password').shown_by).toEqual([]);
  });
});

describe('facts about scopes', () => {
  it('name each scope and, together, every command that needs one', () => {
    const facts = allScopeDetails(api);
    expect(facts.map(({ scope }) => scope)).toEqual(scopeNames);
    const guarded = api.operations.filter(({ scopes }) => scopes.length > 0);
    expect(new Set(facts.flatMap(({ commands }) => commands)).size).toBe(guarded.length);
  });
});

describe('facts about errors', () => {
  it('give for every category its cause, its remedy and its exit code', () => {
    expect(failureCategories.map(({ category, exit_code }) => [category, exit_code])).toEqual(
      Object.entries(exitCodes),
    );
  });
});
