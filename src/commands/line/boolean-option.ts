/** A flag that is true or false, in all the ways in which people type it. Loaded at every start: keep it small. */
import { Option } from 'commander';

/** To commander it takes a value, which the reader of the line has written out by then. */
export class BooleanOption extends Option {}

/** How help shows an option: `--[no-]is-active` for a boolean. */
export function optionTerm(option: Option): string {
  return option instanceof BooleanOption ? `--[no-]${option.long?.slice(2)}` : option.flags;
}
