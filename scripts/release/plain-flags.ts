/**
 * Has commander look for an ASCII letter where it looks for one of any script: the engine would gather the letters of
 * all scripts, at each start, to find the three dots of a flag that takes several values. Our flags are ASCII.
 */
import type { Plugin } from 'rolldown';

const anyLetter = String.raw`/\p{ID_Continue}\.\.\.[>\]]$/u`;
const plainLetter = String.raw`/\w\.\.\.[>\]]$/`;

export function plainFlags(): Plugin {
  return {
    name: 'plain-flags',
    transform: {
      filter: { id: /\/commander\/lib\/option\.js$/ },
      handler(code) {
        const changed = code.replace(anyLetter, () => plainLetter);
        if (changed === code)
          throw new Error('commander reads its flags in another way: see scripts/release/plain-flags.ts.');
        return changed;
      },
    },
  };
}
