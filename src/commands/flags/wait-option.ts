/** `--no-wait`: fails if another run is writing the same records. */
import { Option } from 'commander';

/** As typed. */
export interface WaitFlags {
  /** False with `--no-wait`. */
  wait?: boolean | undefined;
}

/** Returns the flag of every command that otherwise waits for other runs. */
export function noWaitOption(): Option {
  return new Option('--no-wait', 'fail if another run is writing the same records, instead of waiting');
}
