/** `--any-account`: overrides the check that a file belongs to the account in use. */
import { Option } from 'commander';

/** The flag, as typed. */
export interface AnyAccountFlag {
  anyAccount?: boolean;
}

/** The flag of every command that reads, changes or deletes a file of an account. */
export function anyAccountOption(): Option {
  return new Option('--any-account', 'skip the check that the file belongs to this account').helpGroup(
    'Advanced:',
  );
}
