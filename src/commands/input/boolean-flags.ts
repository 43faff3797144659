/** Flags that are true or false, in all the ways in which people type them. Loaded at every start: keep it small. */
import { Option } from 'commander';

/** To commander it takes a value, which `spellBooleans` has written out by then. */
export class BooleanOption extends Option {}

/** How help shows an option: `--[no-]is-active` for a boolean. */
export function optionTerm(option: Option): string {
  return option instanceof BooleanOption ? `--[no-]${option.long?.slice(2)}` : option.flags;
}

/**
 * Writes boolean flags out before commander sees them: `--is-active` and `--is-active false` become
 * `--is-active=true` and `--is-active=false`, `--no-is-active` too. A separate word counts as the value only when it
 * is `true` or `false`, so that an id may follow the flag.
 */
export function spellBooleans(argv: readonly string[], options: readonly Option[]): string[] {
  const booleans = new Set(
    options.flatMap((option) => (option instanceof BooleanOption && option.long ? [option.long] : [])),
  );
  const valued = new Set(options.flatMap((option) => (option.required ? [option.long, option.short] : [])));
  const spelled: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? '';
    const next = argv[at + 1];
    const positive = word.startsWith('--no-') ? `--${word.slice('--no-'.length)}` : undefined;
    if (word === '--') return [...spelled, ...argv.slice(at)];
    if (booleans.has(word)) {
      const isSpelled = next === 'true' || next === 'false';
      spelled.push(`${word}=${isSpelled ? next : 'true'}`);
      if (isSpelled) at++;
    } else if (positive !== undefined && booleans.has(positive)) {
      spelled.push(`${positive}=false`);
    } else if (valued.has(word) && next !== undefined) {
      spelled.push(word, next);
      at++;
    } else {
      spelled.push(word);
    }
  }
  return spelled;
}
