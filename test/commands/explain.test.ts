import { describe, expect, it } from 'vitest';
import { failureCategories } from '../../src/api/reference/failure-categories.ts';
import { handWritten } from '../../src/cli/commands/index.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

const explain = (...words: string[]) => runBoh(['explain', ...words]);
/** Returns the output as one line, because the width decides where its lines break. */
const explainAsText = async (...words: string[]) =>
  (await explain(...words, '-o', 'table')).stdout.replaceAll(/\s+/g, ' ');

describe('boh explain', () => {
  it('describes a field: its meaning, its unit, the commands that write it, and the scopes that they need', async () => {
    const text = await explainAsText('inventory-items.storage_to_ingredient_factor');
    expect(text).toContain('Unit ingredient units in one storage unit');
    expect(text).toContain('inventory-items create --storage-to-ingredient-factor <number>');
    expect(text).toContain('needs inventory.settings.write');
    expect(text).toContain('needs inventory.settings.read');
  });

  it('lists every allowed value', async () => {
    expect(await explainAsText('timed-events.type')).toContain('price-increase-by-percentage 5');
    expect(await explainAsText('users.notifications')).toContain("an item's stock falls below zero");
  });

  it('accepts the words of a command line', async () => {
    expect(await explainAsText('suppliers', 'link-item')).toContain(
      'POST /suppliers/{supplierId}/items/{inventoryItemId}',
    );
    expect(await explainAsText('customers.create')).toBe(await explainAsText('customers', 'create'));
  });

  it('explains failures by category and by exit code', async () => {
    const text = await explainAsText('errors');
    for (const { category, exit_code } of failureCategories) {
      expect(text).toContain(category);
      expect(text).toContain(` ${exit_code} `);
    }
    expect(await explainAsText('6')).toBe(await explainAsText('refused'));
  });

  it('lists the permissions of a scope', async () => {
    const text = await explainAsText('customers.accounts.read');
    expect(text).toContain('customers.house_account_balance');
  });

  it('--json: prints the same details as JSON', async () => {
    const { stdout } = await explain('customers.gender', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'customers.gender',
      words: [
        { word: 'male', value: 1 },
        { word: 'female', value: 2 },
      ],
    });
    const { stdout: everySubject } = await explain('--json');
    expect(JSON.parse(everySubject)).toContainEqual({ name: 'scopes', about: 'Scopes of tokens' });
  });

  it('--search: lists matches, or reports that there are none', async () => {
    const { stdout } = await explain('--search', 'loyalty', '--json');
    const names = JSON.parse(stdout).map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['customers.loyalty_balance', 'loyalty-rewards.redeem']));
    expect(await explainAsText('--search', 'zebra')).toBe('No matches for "zebra". ');
  });

  const visibleCommands = handWritten.filter(({ hidden }) => !hidden);
  it.each(visibleCommands.map(({ name, summary }) => [name, summary]))(
    '%s: describes the command, and names its help',
    async (name, summary) => {
      const text = await explainAsText(name);
      expect(text).toContain(summary);
      expect(text).toContain(`Flags and examples: boh ${name} --help`);
    },
  );

  it.each(['mirror sync', 'mirror.sync'])('%s: describes the subcommand', async (name) => {
    const text = await explainAsText(...name.split(' '));
    expect(text).toContain('boh mirror sync Sync the mirror with the account');
    expect(text).toContain('Flags and examples: boh mirror sync --help');
  });

  it('a subcommand that does not exist: is not explained', async () => {
    expect((await explain('mirror', 'snyc')).exitCode).toBe(2);
  });

  it('suggests the most similar name', async () => {
    const result = await explain('custmers.gendr');
    expect(result.exitCode).toBe(2);
    expect(failureOf(result)).toMatchObject({
      message: expect.stringContaining('Did you mean "customers.gender"?'),
      hint: 'To search for it: boh explain --search gendr',
    });
  });
});
