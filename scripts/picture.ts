/** `npm run picture`: runs boh in a real terminal on a new sandbox, and draws docs/terminal.svg from its screen. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureScreen } from './picture/screen.ts';
import { drawTerminal } from './picture/svg.ts';
import { root } from './root.ts';

/** The command lines to type, and the answers to their questions. The output must not contain dates, which change. */
const commands = [
  { type: 'boh --sandbox customers list --tags-id @VIP --limit 8 --columns name,phone,email,order_count' },
  {
    type: 'boh --sandbox inventory-items get @SKU-001 --columns sku,name,name_localized,cost,suppliers.name',
  },
  { type: 'boh --sandbox suppliers create --code SUP-10 --name "Coastal Fish" --columns code,name' },
  { type: 'boh --sandbox suppliers delete "@Coastal Fish"', answer: 'y' },
  { type: 'boh --sandbox suppliers list --is-deleted --code SUP-10 --columns code,name' },
];

const title = 'boh in a terminal';
const description =
  'Five commands on the sandbox and what they print: a table of the customers with one tag, some with Arabic names; ' +
  'the card of an inventory item, found by its SKU; a supplier created; the same supplier deleted, after ' +
  'a question, with the command that restores it; and the deleted supplier, struck through, in a list.';

const lines = await captureScreen(commands, { columns: 100 });
const file = 'docs/terminal.svg';
const svg = drawTerminal(lines.map(pictureLine), { columns: 100, title, description });
writeFileSync(join(root, file), svg);
process.stdout.write(`${file}: ${lines.length} lines, ${(svg.length / 1024).toFixed(1)} KB\n`);

/**
 * Returns a line for the picture. It replaces the random ID of the new record with a fixed ID, and removes the
 * direction marks of bidirectional text, which only terminals need.
 */
function pictureLine(line: string): string {
  const id = /(?<="Coastal Fish" \(|restore )[a-z2-7]{12}\b/g;
  return line
    .replace(id, 'k3fz7qxw2hmt')
    .replace(/[\u2066-\u2069]/g, '')
    .replaceAll('\u2800', ' ');
}
