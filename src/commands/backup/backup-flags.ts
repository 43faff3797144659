/** The flags of commands that go over several resources at once. */
import { Option } from 'commander';

export interface BackupFlags {
  resource?: string[];
  sinceLast?: boolean;
}

export function resourceOption(about: string): Option {
  return new Option('--resource <resources>', `${about}: with commas between, repeatable`).argParser(
    (text: string, before: string[] = []) => [...before, text],
  );
}
