import { expect, test } from 'vitest';
import { openManifestWorkspace } from './workspace.ts';

const pair = '{"reference":"Z-9","name":"Pier","coordinates":[46.6,24.7]}';

test('a border with a single pair of coordinates: a second apply finds no difference', async () => {
  const workspace = await openManifestWorkspace();
  workspace.write(
    'zone.yaml',
    'delivery-zones:\n  - { reference: Z-9, name: Pier, coordinates: [46.6, 24.7] }\n',
  );
  workspace.write('zone.json', `[${pair}]`);
  workspace.write('zone.csv', 'reference,name,coordinates\nZ-9,Pier,"[46.6,24.7]"\n');
  expect(await workspace.boh('apply @/zone.yaml --yes')).toMatchObject({ exitCode: 0 });
  for (const line of ['diff @/zone.yaml', 'plan @/zone.yaml --detailed-exitcode'])
    expect(await workspace.boh(line)).toMatchObject({ exitCode: 0 });
  for (const line of [
    'apply @/zone.yaml --yes -o json',
    'delivery-zones import @/zone.json --key reference --yes -o json',
    'delivery-zones import @/zone.csv --key reference --yes -o json',
    `delivery-zones upsert --key reference --data ${pair} -o json`,
  ]) {
    const entriesBefore = await entries();
    const result = await workspace.boh(line);
    expect([result.exitCode, await entries()], `${line}\n${result.stderr}`).toEqual([0, entriesBefore]);
  }

  async function entries(): Promise<number> {
    return JSON.parse((await workspace.boh('history -o json')).stdout).length;
  }
});
