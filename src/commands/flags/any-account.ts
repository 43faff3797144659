/** `--any-account`: overrides the check that a file belongs to the account in use. */
import { Option } from 'commander';

/** The flag as it was typed. */
export interface AnyAccountFlag {
  anyAccount?: boolean;
}

/** The flag of a command that deletes or changes what a file holds. */
export function anyAccountOption(): Option {
  return new Option('--any-account', 'also what belongs to another account, or may belong to one');
}

/** The hint of a refusal: it names the flag. */
export const anyAccountHint = 'To do it all the same: --any-account';
