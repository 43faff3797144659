/** Which requests a rule is for: `POST /customers`, `* /inventory_items/**`. */

/** Without the prefix and the query. */
export interface Addressed {
  method: string;
  path: string;
}

/** `*` stands for any method, and in a path for one part; `**` for any number of parts. */
export function isOnRoute(route: string, { method, path }: Addressed): boolean {
  const [wantedMethod = '*', wantedPath = '/**'] = route.split(' ');
  return (wantedMethod === '*' || wantedMethod === method) && fits(partsOf(wantedPath), partsOf(path));
}

function partsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/**
 * A `**` takes as few parts as it can, and one more each time that what stands behind it doesn't fit; those before it
 * are done with. So there are never more steps than parts times parts.
 */
function fits(wanted: readonly string[], parts: readonly string[]): boolean {
  let [at, part] = [0, 0];
  let last: { at: number; taken: number } | undefined;
  while (part < parts.length) {
    if (wanted[at] === '**') {
      last = { at, taken: part };
      at += 1;
    } else if (at < wanted.length && isPart(wanted[at], parts[part])) {
      at += 1;
      part += 1;
    } else if (last) {
      last.taken += 1;
      [at, part] = [last.at + 1, last.taken];
    } else {
      return false;
    }
  }
  return wanted.slice(at).every((rest) => rest === '**');
}

function isPart(wanted: string | undefined, part: string | undefined): boolean {
  return wanted === '*' ? part !== '' : wanted === part;
}
