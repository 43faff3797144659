import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { startDemo } from '../harness/demo.ts';
import { keys, terminalTest as test } from '../harness/terminal.ts';

const demo = startDemo();
afterAll(() => demo.remove());

function writeInput(name: string, text: string | Uint8Array): string {
  const path = join(demo.folder, name);
  writeFileSync(path, text);
  return path;
}

describe('import on a terminal', () => {
  test('shows the changes, asks, and sends nothing unless it is confirmed', async () => {
    const [first, second] = JSON.parse((await demo.boh('suppliers list --limit 2')).stdout);
    const file = writeInput('s.csv', `id,phone\n${first.id},555000111\n${second.id},555000222\n`);
    const terminal = demo.terminal(`boh --sandbox suppliers import ${file}`);
    const prompt = await terminal.waitFor('(y/N)');
    expect(prompt).toContain('2 suppliers (2 to update).');
    expect(prompt).toContain('3 requests');
    expect(prompt).toContain(`line 2: update ${first.id} (${first.name}) phone ${first.phone} → 555000111`);
    expect(prompt).toContain('Update 2 suppliers?');
    terminal.types(keys.enter);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text()).toContain('Nothing was sent.');
    expect(await demo.json<object>(`suppliers get ${first.id}`)).toMatchObject({ phone: first.phone });

    const confirmed = demo.terminal(`boh --sandbox suppliers import ${file}`);
    await confirmed.waitFor('(y/N)');
    confirmed.types('y', keys.enter);
    expect(await confirmed.ended()).toBe(0);
    expect(confirmed.text()).toContain('2 updated.');
    expect(await demo.json<object>(`suppliers get ${first.id}`)).toMatchObject({ phone: '555000111' });
  });

  test('an unknown column: asks which field it is, and --save-map saves the answers', async () => {
    const file = writeInput('who.csv', 'Who,Points,Mobile\nA B,7,551234\n');
    const map = join(demo.folder, 'map.json');
    const line = `boh --sandbox customers import ${file} --mode create --dry-run --save-map ${map}`;
    const terminal = demo.terminal(line);
    await terminal.waitFor('Which field does the column "Who" contain?');
    await terminal.waitFor('Its values: A B');
    terminal.types('dial');
    await terminal.waitFor('1 of');
    terminal.types(keys.enter);
    await terminal.waitFor('Which field does the column "Points" contain?');
    terminal.types(keys.escape);
    await terminal.waitFor('column "Who" contain?');
    terminal.types('name');
    await terminal.waitFor('name');
    terminal.types(keys.enter);
    await terminal.waitFor('Which field does the column "Points" contain?');
    terminal.types('ignore');
    await terminal.waitFor('Ignore this column');
    terminal.types(keys.enter);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('1 customer (1 to create');
    expect(JSON.parse(readFileSync(map, 'utf8'))).toEqual({
      columns: { Who: 'name', Points: null, Mobile: 'phone' },
    });
  });

  test('a file that is not UTF-8: asks for its encoding, and --save-map saves the answer', async () => {
    const file = writeInput('sjis.csv', Buffer.from('name,phone\n\x8d\xb2\x93\xa1,551234\n', 'latin1'));
    const map = join(demo.folder, 'encoding.json');
    const line = `boh --sandbox customers import ${file} --mode create --dry-run`;
    const terminal = demo.terminal(`${line} --save-map ${map}`);
    await terminal.waitFor('The file sjis.csv is not UTF-8. Which text is right?');
    terminal.types('shift');
    await terminal.waitFor('shift_jis: 佐藤');
    terminal.types(keys.enter);
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain('name 佐藤');
    expect(JSON.parse(readFileSync(map, 'utf8')).encoding).toBe('shift_jis');
    const again = demo.terminal(`${line} --map ${map}`);
    expect(await again.ended()).toBe(0);
    expect(again.text()).toContain('name 佐藤');
  });

  test('a file without known column names: shows its first rows, and asks which one is the header', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => `Kunde ${index};55512${index}`).join('\n');
    const file = writeInput('kunden.csv', `Preisliste\n\nWer;Ziffern\n${rows}\n`);
    const flags = '--mode create --dry-run --map =';
    const terminal = demo.terminal(`boh --sandbox customers import ${file} ${flags}`);
    const prompt = await terminal.waitFor('3: Wer, Ziffern');
    expect(prompt).toContain('Which row is its header?');
    expect(prompt).toContain('1: Preisliste');
    expect(prompt).toContain('3: Wer, Ziffern');
    expect(prompt).not.toContain('Kunde 8');
    terminal.types('ziffern');
    await terminal.waitFor('1 of');
    terminal.types(keys.enter);
    await terminal.waitFor('To read it without this question: --header-row 3');
    await terminal.waitFor('Which field does the column "Wer" contain?');
    terminal.types(keys.escape);
    await terminal.waitFor('Which row is its header?');
    terminal.types(keys.ctrlC);
    expect(await terminal.ended()).toBe(130);
  });

  test('lists the skipped rows and the reasons before it asks', async () => {
    const [first, second] = JSON.parse((await demo.boh('suppliers list --limit 2')).stdout);
    const invalidRows = Array.from({ length: 11 }, (_, index) => `nobody-${index},1`).join('\n');
    const file = writeInput(
      'invalid.csv',
      `id,phone\n${first.id},555000333\n${invalidRows}\n${second.id},555000444\n`,
    );
    const terminal = demo.terminal(`boh --sandbox suppliers import ${file} --mode update --skip-invalid`);
    const prompt = await terminal.waitFor('(y/N)');
    expect(prompt).toContain('line 3: skipped: The row matches no supplier');
    expect(prompt).toContain('line 12: skipped');
    expect(prompt).not.toContain('line 13: skipped');
    expect(prompt).toContain('… and 1 more');
    terminal.types(keys.enter);
    expect(await terminal.ended()).toBe(130);
  });

  test('--dry-run: shows every row that would change a record, in full', async () => {
    const suppliers = JSON.parse((await demo.boh('suppliers list')).stdout) as { id: string; name: string }[];
    const longText = 'contact '.repeat(12).trim();
    const rows = suppliers.slice(1).map(({ id }) => `${id},${longText}`);
    const file = writeInput('dry.csv', `id,contact_name\n${rows.join('\n')}\nnobody,${longText}\n`);
    const line = `boh --sandbox suppliers import ${file} --mode update --skip-invalid --dry-run`;
    const terminal = demo.terminal(line, { columns: 80 });
    expect(await terminal.ended()).toBe(9);
    const output = terminal.text().replaceAll(/\s+/g, ' ');
    for (const [index, { id, name }] of suppliers.slice(1).entries())
      expect(output).toContain(`line ${index + 2}: update ${id} (${name}) contact_name `);
    expect(output.split(longText)).toHaveLength(suppliers.length);
    expect(output).toContain(`line ${suppliers.length + 1}: skipped: The row matches no supplier`);
    const pipedResult = await demo.boh(line.replace(/^boh /, ''));
    expect(
      pipedResult.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).line),
    ).toContain(2);
  });

  test('shows words, and the names of related records', async () => {
    const file = writeInput('count.csv', 'branch,status,items\nRiverside,draft,"@SKU-001=24,@SKU-002=3.5"\n');
    const terminal = demo.terminal(`boh --sandbox inventory-counts import ${file} --dry-run`);
    expect(await terminal.ended()).toBe(0);
    const output = terminal.text().replaceAll(/\s+/g, ' ');
    expect(output).toContain(
      'line 2: create status draft, items Tomatoes (SKU-001): 24, Cucumbers (SKU-002): 3.5,',
    );
  });

  test('runs show after an import: prints the outcome of each row', async () => {
    const [first, second] = JSON.parse((await demo.boh('suppliers list --limit 2')).stdout);
    const file = writeInput(
      'finished.csv',
      `id,contact_name\n${first.id},Another\n${second.id},${second.contact_name}\n`,
    );
    await demo.boh(`suppliers import ${file} --yes`);
    const [run] = await demo.json<{ id: string }[]>('runs list');
    const terminal = demo.terminal(`boh runs show ${run?.id}`, { columns: 80 });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toContain(`line 2: update ${first.id} (${first.name}): done`);
    expect(terminal.text()).toContain(`line 3: ${second.id}: unchanged`);
  });

  test('an invalid row: is reported once', async () => {
    const file = writeInput('once.csv', 'phone,name,gender\n1,x,sometimes\n');
    const terminal = demo.terminal(`boh --sandbox customers import ${file} --key phone`);
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text().split('line 2: ')).toHaveLength(2);
  });

  test('an invalid row with control characters: is reported with escaped characters', async () => {
    const file = writeInput('bad.csv', 'phone,name,gender\n1,x,\u001b[31mred\u0007\n');
    const terminal = demo.terminal(`boh --sandbox customers import ${file} --key phone`);
    expect(await terminal.ended()).toBe(2);
    expect(terminal.text()).toContain('line 2: gender must be one of');
    expect(terminal.text()).not.toContain('\u001b[31mred');
  });

  test('delete --where: counts the records and reports whether they can be restored', async () => {
    const terminal = demo.terminal('boh --sandbox customers delete --where tags.id=@VIP --max-deletes 100%');
    const prompt = await terminal.waitFor('(y/N)');
    expect(prompt).toMatch(/Delete \d+ customers\?/);
    expect(prompt).toContain('Customers can be restored: boh --sandbox customers restore');
    terminal.types(keys.enter);
    expect(await terminal.ended()).toBe(130);
  });
});

test('runs list: shows the ID of a run at every width', async () => {
  await demo.boh('tags update --where name=VIP --name VIP2 --yes');
  const [run] = await demo.json<{ id: string; state: string }[]>('runs list');
  for (const columns of [120, 80, 60, 44]) {
    const terminal = demo.terminal('boh runs list', { columns });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text()).toMatch(new RegExp(`${run?.id}.* ${run?.state}`));
  }
});

test('update --where: shows IDs beside the names of the records', async () => {
  const [first] = JSON.parse((await demo.boh('tags list --type customer --limit 1')).stdout);
  const line = `boh --sandbox tags update --where name=${first.name} --name-localized x --dry-run`;
  const terminal = demo.terminal(line, { columns: 100 });
  expect(await terminal.ended()).toBe(0);
  expect(terminal.text()).toContain(`update ${first.name} (${first.id}) name_localized`);
});

test('the preview: names what is added to and removed from lists, not IDs', async () => {
  const tags = await demo.json<{ id: string; name: string }[]>('tags list --type 1');
  const [first, second] = tags;
  const customers = await demo.json<{ id: string }[]>('customers list --limit 2');
  const [id, otherId] = customers.map((customer) => customer.id);
  await demo.boh(`customers update ${id} --tags ${first?.id} --yes`);
  const file = join(demo.folder, 'tags.csv');
  writeFileSync(file, `id,tags\n${id},${second?.id}\n${otherId},${second?.id}\n`);
  const terminal = demo.terminal(`boh --sandbox customers import ${file}`, { columns: 200 });
  const shown = await terminal.waitFor('Update 2 customers?');
  terminal.types(keys.ctrlC);
  expect(await terminal.ended()).toBe(130);
  expect(shown).toMatch(new RegExp(`${id} .*tags \\+ ${second?.name}.*, - ${first?.name}`));
});
