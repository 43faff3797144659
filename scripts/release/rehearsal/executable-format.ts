/** Reads the headers of an executable: its format, its machine, and whether it contains the program. */
import { readFileSync } from 'node:fs';
import { fuse, resource } from '../artifacts/executable.ts';

/** The first bytes of each format, the offset of the machine, and the numbers of machines. */
const formats = [
  { name: 'ELF', magic: '7f454c46', machineOffset: () => 18, machines: { 62: 'x64', 183: 'arm64' } },
  // The offset of the PE header is at 0x3c. The machine follows "PE\0\0".
  {
    name: 'PE',
    magic: '4d5a',
    machineOffset: (bytes: Buffer) => bytes.readUInt32LE(0x3c) + 4,
    machines: { 34404: 'x64', 43620: 'arm64' },
  },
  { name: 'Mach-O', magic: 'cffaedfe', machineOffset: () => 4, machines: { 7: 'x64', 12: 'arm64' } },
];

/** Returns the format and machine of an executable. Throws if it doesn't contain the program or its marker. */
export function formatOf(file: string): string {
  const bytes = readFileSync(file);
  const format = formats.find(({ magic }) => bytes.subarray(0, magic.length / 2).toString('hex') === magic);
  if (format === undefined) throw new Error('unknown format');
  const number = bytes.readUInt16LE(format.machineOffset(bytes));
  const machine = Object.entries(format.machines).find(([key]) => Number(key) === number)?.[1];
  if (machine === undefined) throw new Error(`${format.name} for an unknown machine (${number})`);
  if (!bytes.includes(`${fuse}:1`)) throw new Error('the marker of a program is not set');
  // Names of resources are UTF-16 on Windows.
  const encoding = format.name === 'PE' ? 'utf16le' : 'latin1';
  const name = format.name === 'Mach-O' ? `__${resource}` : resource;
  if (!bytes.includes(Buffer.from(name, encoding))) throw new Error(`${resource} is missing`);
  return `${format.name} for ${machine} with ${resource}`;
}
