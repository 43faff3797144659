/** Where a mirror is kept, as people write it: `sqlite:FILE` or `postgres://…`. */
import { usage } from '../errors.ts';

export type Target = { kind: 'sqlite'; file: string };

/** `said` is where it stands: `--to` or `BOH_MIRROR`. Throws a usage failure; what it holds is not repeated in that. */
export function readTarget(text: string, said: string): Target {
  const file = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (file !== undefined) return { kind: 'sqlite', file };
  throw usage(`${said} is no place for a mirror.`, {
    hint: `Name a file: ${said === 'BOH_MIRROR' ? 'BOH_MIRROR=' : `${said} `}sqlite:mirror.sqlite`,
  });
}
