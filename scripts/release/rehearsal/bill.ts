/** Validates a bill of materials with the schema of CycloneDX, and compares it with the licenses. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { toolFolder } from '../../tools.ts';

interface Bill {
  specVersion: string;
  components: { name: string; version: string }[];
}

/** Returns a summary of the bill. Throws if it doesn't match the schema, or if Node or a license is missing. */
export function checkBill(file: string, licenses: string): string {
  const bill: Bill = JSON.parse(readFileSync(file, 'utf8'));
  const folder = dirname(schemaFile(`bom-${bill.specVersion}.*schema.json`));
  const ajv = new Ajv({ strict: false, validateFormats: true });
  addFormats.default(ajv);
  ajv.addFormat('iri-reference', true);
  ajv.addFormat('idn-email', true);
  for (const name of globSync('{spdx,jsf,cryptography-defs}*.schema.json', { cwd: folder }))
    ajv.addSchema({
      ...JSON.parse(readFileSync(join(folder, name), 'utf8')),
      $id: `http://cyclonedx.org/schema/${name}`,
    });
  const schema = JSON.parse(readFileSync(schemaFile(`bom-${bill.specVersion}.*schema.json`), 'utf8'));
  if (!ajv.validate(schema, bill)) throw new Error(`it doesn't match the schema: ${ajv.errorsText()}`);
  if (!bill.components.some(({ name }) => name === 'node')) throw new Error('it does not contain Node');
  const text = readFileSync(licenses, 'utf8');
  const unlicensed = bill.components.filter(({ name }) => name !== 'node' && !text.includes(`${name} `));
  if (unlicensed.length > 0)
    throw new Error(`the license is missing for ${unlicensed.map(({ name }) => name).join(', ')}`);
  return `valid CycloneDX ${bill.specVersion}: ${bill.components.length} components including Node, each with its license`;
}

function schemaFile(pattern: string): string {
  const folder = join(toolFolder, 'node_modules/@cyclonedx/cyclonedx-library/res/schema');
  const [name] = globSync(pattern, { cwd: folder }).filter((file) => !file.includes('strict'));
  if (name === undefined) throw new Error(`the library has no schema ${pattern}`);
  return join(folder, name);
}
