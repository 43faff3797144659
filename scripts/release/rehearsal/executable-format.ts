/** Reads the headers of an executable: its format, its machine, and whether it contains the program. */
import { readFileSync } from 'node:fs';
import { fuse, resource } from '../artifacts/executable.ts';

/** The first bytes of each format, where the machine is written, and the numbers of machines. */
const formats = [
  { name: 'ELF', magic: '7f454c46', machineAt: () => 18, machines: { 62: 'x64', 183: 'arm64' } },
  // The offset of the PE header is at 0x3c; "PE\0\0" comes before the machine.
  {
    name: 'PE',
    magic: '4d5a',
    machineAt: (bytes: Buffer) => bytes.readUInt32LE(0x3c) + 4,
    machines: { 34404: 'x64', 43620: 'arm64' },
  },
  { name: 'Mach-O', magic: 'cffaedfe', machineAt: () => 4, machines: { 7: 'x64', 12: 'arm64' } },
];

/** Returns the format and machine of an executable. Throws if it has no program, or if Node wouldn't look for one. */
export function formatOf(file: string): string {
  const bytes = readFileSync(file);
  const format = formats.find(({ magic }) => bytes.subarray(0, magic.length / 2).toString('hex') === magic);
  if (format === undefined) throw new Error('it has no known format');
  const number = bytes.readUInt16LE(format.machineAt(bytes));
  const machine = Object.entries(format.machines).find(([key]) => Number(key) === number)?.[1];
  if (machine === undefined) throw new Error(`${format.name} for an unknown machine, ${number}`);
  if (!bytes.includes(`${fuse}:1`)) throw new Error('Node would not look for the program');
  // Windows writes names of resources in UTF-16.
  const encoding = format.name === 'PE' ? 'utf16le' : 'latin1';
  const name = format.name === 'Mach-O' ? `__${resource}` : resource;
  if (!bytes.includes(Buffer.from(name, encoding))) throw new Error(`it has no ${resource}`);
  return `${format.name} for ${machine} with ${resource}`;
}
