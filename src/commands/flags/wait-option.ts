/** `--no-wait`: what becomes of a command where another run is writing the same records. */
import { Option } from 'commander';

/** As typed. */
export interface WaitFlags {
  /** False with `--no-wait`. */
  wait?: boolean | undefined;
}

/** Such a command waits, unless the line says otherwise. */
export function noWaitOption(): Option {
  return new Option(
    '--no-wait',
    'fail where another run is writing the same records, instead of waiting for it',
  );
}
